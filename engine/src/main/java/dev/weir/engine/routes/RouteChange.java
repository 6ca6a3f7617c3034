package dev.weir.engine.routes;

import java.util.Optional;

/** What became of the wish to change a route. */
public sealed interface RouteChange {
  /**
   * It was done.
   *
   * @param before the route as it was, if there was one
   * @param route the route as it is, or as it was last if it was removed
   */
  record Done(Optional<Route> before, Route route) implements RouteChange {}

  /** There is no such route. */
  record Unknown() implements RouteChange {}

  /** Somebody else has changed it meanwhile. */
  record Stale(Route current) implements RouteChange {}

  /** Another route has that path. */
  record PathTaken() implements RouteChange {}

  /** There are {@link Routes#MOST} routes. */
  record TooMany() implements RouteChange {}
}
