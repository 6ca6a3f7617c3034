package dev.weir.store.jdbc.limits.internal;

import dev.weir.limits.Concurrency;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.internal.Definitions;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.tck.limits.internal.DefinitionsKit;

final class OracleDefinitionsTest extends DefinitionsKit {
  private final OracleDatabase database = OracleDatabase.get();

  @Override
  protected Definitions<TokenBucket> buckets() {
    return JdbcDefinitions.buckets(Dialect.ORACLE, database.pool(), StoreClock.DATABASE);
  }

  @Override
  protected Definitions<Concurrency> concurrency() {
    return JdbcDefinitions.concurrency(Dialect.ORACLE, database.pool(), StoreClock.DATABASE);
  }
}
