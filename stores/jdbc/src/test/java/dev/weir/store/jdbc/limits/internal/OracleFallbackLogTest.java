package dev.weir.store.jdbc.limits.internal;

import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.internal.Dialect;

final class OracleFallbackLogTest extends FallbackLogKit {
  OracleFallbackLogTest() {
    super(Dialect.ORACLE, OracleDatabase.get().pool(), OracleDatabase.get().otherPool());
  }
}
