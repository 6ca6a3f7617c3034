package dev.weir.routes.internal;

import dev.weir.register.MemoryRegister;
import java.time.InstantSource;

/** An in-memory register of routes. */
public final class MemoryRoutes extends MemoryRegister<RouteSpec, Route> implements Routes {
  public MemoryRoutes(InstantSource clock) {
    super(clock, Route::new);
  }
}
