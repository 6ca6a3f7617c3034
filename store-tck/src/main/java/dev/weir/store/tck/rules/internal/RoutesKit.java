package dev.weir.store.tck.rules.internal;

import dev.weir.routes.internal.Route;
import dev.weir.routes.internal.RouteSpec;
import dev.weir.routes.internal.Routes;
import dev.weir.routes.internal.Upstream;
import dev.weir.rules.matching.PathPattern;
import dev.weir.store.tck.rules.RegisterKit;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** The compatibility kit of stores of routes. */
public abstract class RoutesKit extends RegisterKit<RouteSpec, Route> {
  @Override
  protected abstract Routes register();

  @Override
  protected final RouteSpec titled(String title) {
    return RouteSpec.of(title, "http://127.0.0.1:9000");
  }

  @Override
  protected final List<RouteSpec> variety() {
    return Arrays.stream(Upstream.Protocol.values())
        .map(
            protocol ->
                new RouteSpec(
                    PathPattern.of("/%s/{id}/café/**".formatted(UUID.randomUUID())),
                    new Upstream(
                        protocol, protocol == Upstream.Protocol.H2 ? "::1" : "example.org", 81),
                    protocol != Upstream.Protocol.HTTPS))
        .toList();
  }
}
