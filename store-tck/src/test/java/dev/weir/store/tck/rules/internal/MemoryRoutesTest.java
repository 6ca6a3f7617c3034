package dev.weir.store.tck.rules.internal;

import dev.weir.routes.internal.MemoryRoutes;
import dev.weir.routes.internal.Routes;
import java.time.InstantSource;

final class MemoryRoutesTest extends RoutesKit {
  private final Routes routes = new MemoryRoutes(InstantSource.system());

  @Override
  protected Routes register() {
    return routes;
  }
}
