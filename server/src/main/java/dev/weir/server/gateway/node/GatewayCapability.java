package dev.weir.server.gateway.node;

import dev.weir.TrustedProxies;
import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.lifecycle.Drain;
import dev.weir.node.settings.AccessSettings;
import dev.weir.node.settings.PortProbe;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.CountingStore;
import dev.weir.routes.internal.RouteSpec;
import dev.weir.rules.RuleEvaluator;
import dev.weir.server.gateway.Gateway;
import dev.weir.server.gateway.GatewayEngine;
import dev.weir.server.gateway.GatewaySettings;
import dev.weir.server.metrics.GatewayMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The gateway and its routes, as a capability of the server. */
public final class GatewayCapability implements Capability {
  /** The name of what it offers. */
  private static final String NAME = "gateway";

  @Override
  public int order() {
    return 50;
  }

  @Override
  public List<Setting> settings() {
    return List.of(GatewaySetting.values());
  }

  @Override
  public Configured configure(Settings settings) {
    TrustedProxies proxies = AccessSettings.trustedProxies(settings);
    return new OnNode(
        OpenGateway.routes(settings),
        OpenGateway.settings(settings, proxies),
        proxies,
        settings.cacheTtl());
  }

  private record OnNode(
      List<RouteSpec> fixed,
      Optional<GatewaySettings> port,
      TrustedProxies proxies,
      Duration cacheTtl)
      implements Configured {

    @Override
    public List<PortProbe.Listener> ports() {
      return port
          .map(own -> new PortProbe.Listener(GatewaySetting.PORT, own.host(), own.port()))
          .stream()
          .toList();
    }

    @Override
    public Set<String> offers() {
      return port.isPresent() ? Set.of(NAME) : Set.of();
    }

    @Override
    public void open(OpeningNode node) {
      GatewayMetrics metrics = node.share(new GatewayMetrics(node.metrics()));
      OpenRoutes routes = OpenRoutes.open(fixed, node.database());
      routes.addTo(node);
      Runnable read =
          () -> {
            routes.table().refresh();
            metrics.routesKnown(routes.table().patterns());
          };
      node.keepUp("reading of routes", read, cacheTtl);
      port.ifPresent(
          own -> {
            GatewayEngine engine =
                new GatewayEngine(
                    routes.table(),
                    node.get(RuleEvaluator.class),
                    node.get(CountingStore.class).isAwaited(),
                    proxies,
                    metrics);
            node.share(engine);
          });
    }

    @Override
    public void listen(OpeningNode node) {
      port.ifPresent(
          own -> {
            Gateway gateway =
                node.open().add(OpenGateway.start(own, node.get(GatewayEngine.class)));
            node.listens(NAME, gateway.address());
            node.drain(door(gateway));
          });
    }
  }

  private static Drain.Door door(Gateway gateway) {
    return new Drain.Door() {
      @Override
      public void begin() {
        gateway.beginDraining();
      }

      @Override
      public void refuseNewcomers(Duration arrival) throws InterruptedException {
        gateway.refuseNewcomers(arrival);
      }

      @Override
      public CompletableFuture<Void> endWhenIdle(Duration idle) {
        return gateway.endWhenIdle(idle);
      }

      @Override
      public int count() {
        return gateway.count();
      }
    };
  }
}
