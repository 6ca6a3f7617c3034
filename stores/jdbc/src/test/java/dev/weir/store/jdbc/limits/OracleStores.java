package dev.weir.store.jdbc.limits;

import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import javax.sql.DataSource;

/** Stores in Oracle whose callers wait in turn, however busy the machine is. */
final class OracleStores {
  private OracleStores() {}

  static JdbcLimitStore limits(DataSource connections, StoreClock clock, Runnable contended) {
    return new JdbcLimitStore(
        LimitTables.of(Dialect.ORACLE, connections, clock, contended),
        JdbcLimitStore.Settings.DEFAULT,
        Database.MAX_WAIT,
        requests -> {});
  }

  static JdbcLeaseStore leases(DataSource connections, StoreClock clock, Runnable contended) {
    return new JdbcLeaseStore(
        LeaseTables.of(Dialect.ORACLE, connections, clock, contended), Database.MAX_WAIT);
  }
}
