package dev.weir.store.jdbc.rules.internal;

import dev.weir.internal.Micros;
import dev.weir.register.EntryVersion;
import dev.weir.routes.internal.Route;
import dev.weir.routes.internal.RouteSpec;
import dev.weir.routes.internal.Routes;
import dev.weir.routes.internal.Upstream;
import dev.weir.rules.matching.PathPattern;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Routes of the gateway in the database. */
public final class JdbcRoutes extends JdbcRegister<RouteSpec, Route> implements Routes {
  /** Routes in PostgreSQL. */
  public JdbcRoutes(DataSource database, StoreClock clock) {
    this(Dialect.POSTGRESQL, database, clock);
  }

  public JdbcRoutes(Dialect dialect, DataSource database, StoreClock clock) {
    super(dialect, database, clock, new Tables("route", "path", Channel.ROUTE), Route::new);
  }

  @Override
  RouteSpec spec(ResultSet row) throws SQLException {
    return new RouteSpec(
        PathPattern.of(row.getString("path")),
        Upstream.of(row.getString("upstream")),
        row.getBoolean("is_active"));
  }

  @Override
  void insert(Connection connection, EntryVersion<Route> version) throws SQLException {
    Route route = version.entry();
    Sql.update(
        connection,
        """
        insert into route_version (route_id, version, path, upstream, is_active, is_removed,
                                   changed_by, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        route.id(),
        route.version(),
        title(route.spec()),
        route.spec().upstream().text(),
        dialect().flag(route.spec().isActive()),
        dialect().flag(version.isRemoval()),
        version.changedBy(),
        Micros.ceil(route.updatedAt()));
  }
}
