package dev.weir.engine.routes;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Routes in memory, for one process: they are gone at its end, and old versions are not kept. */
public final class MemoryRoutes implements Routes {
  private final InstantSource clock;
  private final TreeMap<Long, Route> routes = new TreeMap<>();
  private long lastId;

  public MemoryRoutes(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public synchronized RouteChange create(Route.Terms terms, String by) {
    if (routes.size() >= MOST) {
      return new RouteChange.TooMany();
    }
    if (isTaken(terms, 0)) {
      return new RouteChange.PathTaken();
    }
    Instant now = clock.instant();
    Route route = new Route(++lastId, 1, terms, now, now);
    routes.put(route.id(), route);
    return new RouteChange.Done(Optional.empty(), route);
  }

  @Override
  public synchronized RouteChange change(long id, int version, Route.Terms terms, String by) {
    Route before = routes.get(id);
    if (before == null) {
      return new RouteChange.Unknown();
    }
    if (version != ANY_VERSION && version != before.version()) {
      return new RouteChange.Stale(before);
    }
    if (isTaken(terms, id)) {
      return new RouteChange.PathTaken();
    }
    Route next = new Route(id, before.version() + 1, terms, before.createdAt(), clock.instant());
    routes.put(id, next);
    return new RouteChange.Done(Optional.of(before), next);
  }

  @Override
  public synchronized RouteChange remove(long id, int version, String by) {
    Route before = routes.get(id);
    if (before == null) {
      return new RouteChange.Unknown();
    }
    if (version != ANY_VERSION && version != before.version()) {
      return new RouteChange.Stale(before);
    }
    routes.remove(id);
    return new RouteChange.Done(Optional.of(before), before);
  }

  @Override
  public synchronized Optional<Route> find(long id) {
    return Optional.ofNullable(routes.get(id));
  }

  @Override
  public synchronized List<Route> all() {
    return List.copyOf(routes.values());
  }

  private boolean isTaken(Route.Terms terms, long own) {
    return routes.values().stream()
        .anyMatch(route -> route.id() != own && route.path().equals(terms.path().text()));
  }
}
