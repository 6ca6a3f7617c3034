package dev.weir.store.jdbc;

import dev.weir.core.Micros;
import dev.weir.engine.routes.Route;
import dev.weir.engine.routes.RouteChange;
import dev.weir.engine.routes.Routes;
import dev.weir.engine.routes.Upstream;
import dev.weir.engine.rules.PathPattern;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Routes in PostgreSQL. A change is one transaction, and it tells every node. */
public final class JdbcRoutes implements Routes {
  /** Routes that were not removed, at the version in force. */
  private static final String SELECT =
      """
      select v.*, f.created_at as route_created_at
      from route r
      join route_version v on v.route_id = r.route_id and v.version = r.version
      join route_version f on f.route_id = r.route_id and f.version = 1
      where not r.is_removed
      """;

  private final Transactions transactions;
  private final StoreClock clock;

  public JdbcRoutes(DataSource database, StoreClock clock) {
    this.transactions = new Transactions(database, () -> {});
    this.clock = clock;
  }

  @Override
  public RouteChange create(Route.Terms terms, String by) {
    String path = terms.path().text();
    return transactions.write(
        connection -> {
          if (isTaken(connection, path, 0)) {
            return new RouteChange.PathTaken();
          }
          if (count(connection) >= MOST) {
            return new RouteChange.TooMany();
          }
          // Two that create the same meet at the unique path; the second tries again and finds it.
          long id =
              Sql.first(
                      connection,
                      row -> row.getLong(1),
                      "insert into route (path, version, is_removed) values (?, 1, false)"
                          + " returning route_id",
                      path)
                  .orElseThrow();
          Instant now = now(connection);
          Route route = new Route(id, 1, terms, now, now);
          insert(connection, route, by, false);
          Channel.ROUTE.send(connection, Long.toString(id));
          return new RouteChange.Done(Optional.empty(), route);
        });
  }

  @Override
  public RouteChange change(long id, int version, Route.Terms terms, String by) {
    return transactions.write(
        connection -> {
          Optional<Route> before = lock(connection, id);
          if (before.isEmpty()) {
            return new RouteChange.Unknown();
          }
          if (isStale(before.get(), version)) {
            return new RouteChange.Stale(before.get());
          }
          if (isTaken(connection, terms.path().text(), id)) {
            return new RouteChange.PathTaken();
          }
          Route next = next(connection, before.get(), terms);
          write(connection, next, by, false);
          return new RouteChange.Done(before, next);
        });
  }

  @Override
  public RouteChange remove(long id, int version, String by) {
    return transactions.write(
        connection -> {
          Optional<Route> before = lock(connection, id);
          if (before.isEmpty()) {
            return new RouteChange.Unknown();
          }
          if (isStale(before.get(), version)) {
            return new RouteChange.Stale(before.get());
          }
          write(connection, next(connection, before.get(), before.get().terms()), by, true);
          return new RouteChange.Done(before, before.get());
        });
  }

  @Override
  public Optional<Route> find(long id) {
    return transactions.read(connection -> find(connection, id));
  }

  @Override
  public List<Route> all() {
    return transactions.read(
        connection -> Sql.list(connection, JdbcRoutes::read, SELECT + "order by r.route_id"));
  }

  private static Optional<Route> find(Connection connection, long id) throws SQLException {
    return Sql.first(connection, JdbcRoutes::read, SELECT + "and r.route_id = ?", id);
  }

  /** A statement of its own after the lock, so that it sees what was committed meanwhile. */
  private static Optional<Route> lock(Connection connection, long id) throws SQLException {
    Sql.first(connection, row -> true, "select 1 from route where route_id = ? for update", id);
    return find(connection, id);
  }

  private static boolean isStale(Route current, int version) {
    return version != ANY_VERSION && version != current.version();
  }

  private static boolean isTaken(Connection connection, String path, long own) throws SQLException {
    return Sql.first(
            connection,
            row -> true,
            "select 1 from route where path = ? and not is_removed and route_id <> ?",
            path,
            own)
        .isPresent();
  }

  private static long count(Connection connection) throws SQLException {
    return Sql.first(
            connection, row -> row.getLong(1), "select count(*) from route where not is_removed")
        .orElseThrow();
  }

  private Route next(Connection connection, Route before, Route.Terms terms) throws SQLException {
    return new Route(before.id(), before.version() + 1, terms, before.createdAt(), now(connection));
  }

  private static void write(Connection connection, Route route, String by, boolean isRemoval)
      throws SQLException {
    insert(connection, route, by, isRemoval);
    Sql.update(
        connection,
        "update route set path = ?, version = ?, is_removed = ? where route_id = ?",
        route.path(),
        route.version(),
        isRemoval,
        route.id());
    Channel.ROUTE.send(connection, Long.toString(route.id()));
  }

  private static void insert(Connection connection, Route route, String by, boolean isRemoval)
      throws SQLException {
    Sql.update(
        connection,
        """
        insert into route_version (route_id, version, path, upstream, is_active, is_removed,
                                   changed_by, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        route.id(),
        route.version(),
        route.path(),
        route.terms().upstream().text(),
        route.terms().isActive(),
        isRemoval,
        by,
        Micros.ceil(route.updatedAt()));
  }

  private static Route read(ResultSet row) throws SQLException {
    return new Route(
        row.getLong("route_id"),
        row.getInt("version"),
        new Route.Terms(
            PathPattern.of(row.getString("path")),
            Upstream.of(row.getString("upstream")),
            row.getBoolean("is_active")),
        Micros.instant(row.getLong("route_created_at")),
        Micros.instant(row.getLong("created_at")));
  }

  private Instant now(Connection connection) throws SQLException {
    return Micros.instant(Sql.now(connection, clock));
  }
}
