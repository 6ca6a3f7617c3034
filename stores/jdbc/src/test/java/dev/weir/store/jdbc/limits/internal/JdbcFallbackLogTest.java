package dev.weir.store.jdbc.limits.internal;

import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.internal.Dialect;

final class JdbcFallbackLogTest extends FallbackLogKit {
  JdbcFallbackLogTest() {
    super(Dialect.POSTGRESQL, Database.get().pool(), Database.get().otherPool());
  }
}
