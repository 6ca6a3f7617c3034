package dev.weir.store.jdbc.limits.internal;

import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.internal.Dialect;

final class OracleStoreHistoryTest extends StoreHistoryKit {
  OracleStoreHistoryTest() {
    super(
        new JdbcStoreHistory(Dialect.ORACLE, OracleDatabase.get().pool()),
        new JdbcStoreHistory(Dialect.ORACLE, OracleDatabase.get().otherPool()));
  }
}
