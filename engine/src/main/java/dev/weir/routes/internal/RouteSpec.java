package dev.weir.routes.internal;

import dev.weir.rules.matching.PathPattern;

/**
 * The content of a route: which requests go to which upstream.
 *
 * @param isActive false to treat the route as absent
 */
public record RouteSpec(PathPattern path, Upstream upstream, boolean isActive) {
  /** Returns an active route. */
  public static RouteSpec of(String path, String upstream) {
    return new RouteSpec(PathPattern.of(path), Upstream.of(upstream), true);
  }
}
