package dev.weir.store.surrealdb;

import dev.weir.limits.LeaseStore;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.limits.LeaseStoreKit;
import dev.weir.store.tck.limits.LimitStoreKit;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Runs both kits on one SurrealDB: stores alternate between its two clients. */
interface SurrealDbKit extends LimitStoreKit, LeaseStoreKit {
  AtomicInteger OPENED = new AtomicInteger();

  Clients clients();

  @Override
  default List<Class<? extends Limit>> kinds() {
    return List.of(TokenBucket.class);
  }

  @Override
  default Supplier<LimitStore> limitsBy(InstantSource clock) {
    return () -> new SurrealDbLimitStore(client(), StoreClock.of(clock));
  }

  @Override
  default Supplier<LeaseStore> leasesBy(InstantSource clock) {
    return () -> new SurrealDbLeaseStore(client(), StoreClock.of(clock));
  }

  default SurrealDb client() {
    return OPENED.getAndIncrement() % 2 == 0 ? clients().one() : clients().other();
  }
}
