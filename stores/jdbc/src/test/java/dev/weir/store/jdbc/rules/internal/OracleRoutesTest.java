package dev.weir.store.jdbc.rules.internal;

import dev.weir.routes.internal.Routes;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.tck.rules.internal.RoutesKit;

final class OracleRoutesTest extends RoutesKit {
  private final JdbcRoutes routes =
      new JdbcRoutes(Dialect.ORACLE, OracleDatabase.get().pool(), StoreClock.DATABASE);

  @Override
  protected Routes register() {
    return routes;
  }
}
