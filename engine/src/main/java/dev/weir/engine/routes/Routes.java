package dev.weir.engine.routes;

import java.util.List;
import java.util.Optional;

/** The port to where routes are kept: versions, append-only. Thread-safe. */
public interface Routes {
  /** So many routes, at most, are kept: every node holds all of them. */
  int MOST = 1_000;

  /** In place of a version: whichever it is. */
  int ANY_VERSION = 0;

  /**
   * Makes a route.
   *
   * @param by who does so, for the record
   */
  RouteChange create(Route.Terms terms, String by);

  /**
   * Makes these terms the next version of a route.
   *
   * @param version what the caller takes for the version in force, or {@link #ANY_VERSION}
   */
  RouteChange change(long id, int version, Route.Terms terms, String by);

  /** Removes a route; its versions are kept. */
  RouteChange remove(long id, int version, String by);

  Optional<Route> find(long id);

  /** All routes, by id. */
  List<Route> all();
}
