package dev.weir.store.tck.rules;

import dev.weir.engine.routes.MemoryRoutes;
import dev.weir.engine.routes.Routes;
import java.time.InstantSource;

final class MemoryRoutesTest extends RoutesKit {
  private final Routes routes = new MemoryRoutes(InstantSource.system());

  @Override
  protected Routes register() {
    return routes;
  }
}
