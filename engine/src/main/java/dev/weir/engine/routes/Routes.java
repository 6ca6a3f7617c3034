package dev.weir.engine.routes;

import dev.weir.engine.register.Register;

/** The port to where routes are kept. A route's title is its pattern, as it was written. */
public interface Routes extends Register<Route.Terms, Route> {
  /** So many routes, at most, are kept. */
  int MOST = 1_000;

  @Override
  default int maxEntries() {
    return MOST;
  }

  @Override
  default String title(Route.Terms terms) {
    return terms.path().text();
  }
}
