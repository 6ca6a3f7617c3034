package dev.weir.store.jdbc.limits.internal;

import dev.weir.store.jdbc.Database;

final class JdbcStoreHistoryTest extends StoreHistoryKit {
  JdbcStoreHistoryTest() {
    super(
        new JdbcStoreHistory(Database.get().pool()),
        new JdbcStoreHistory(Database.get().otherPool()));
  }
}
