package dev.weir.store.jdbc.limits.internal;

import dev.weir.limits.Concurrency;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.internal.Definitions;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.tck.limits.internal.DefinitionsKit;

final class JdbcDefinitionsTest extends DefinitionsKit {
  private final Database database = Database.get();

  @Override
  protected Definitions<TokenBucket> buckets() {
    return JdbcDefinitions.buckets(database.pool(), StoreClock.DATABASE);
  }

  @Override
  protected Definitions<Concurrency> concurrency() {
    return JdbcDefinitions.concurrency(database.pool(), StoreClock.DATABASE);
  }
}
