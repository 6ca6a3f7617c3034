package dev.weir.engine.routes;

import dev.weir.engine.register.MemoryRegister;
import java.time.InstantSource;

/** Routes in memory. */
public final class MemoryRoutes extends MemoryRegister<Route.Terms, Route> implements Routes {
  public MemoryRoutes(InstantSource clock) {
    super(clock, Route::new);
  }
}
