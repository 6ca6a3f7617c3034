package dev.weir.routes.internal;

import dev.weir.register.Register;

/** The register of routes. The title of a route is its pattern, as it was written. */
public interface Routes extends Register<RouteSpec, Route> {
  /** The maximum number of routes. */
  int MAX_ROUTES = 1_000;

  @Override
  default int maxEntries() {
    return MAX_ROUTES;
  }

  @Override
  default String title(RouteSpec spec) {
    return spec.path().text();
  }
}
