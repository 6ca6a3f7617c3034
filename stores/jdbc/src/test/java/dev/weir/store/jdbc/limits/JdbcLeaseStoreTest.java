package dev.weir.store.jdbc.limits;

import dev.weir.core.internal.Micros;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.store.jdbc.Database;
import dev.weir.store.tck.limits.LeaseStoreKit;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Runs the kit on leases in PostgreSQL: nodes with separate pools on one database. */
final class JdbcLeaseStoreTest implements LeaseStoreKit {
  @Override
  public Supplier<LeaseStore> leasesBy(InstantSource clock) {
    Database database = Database.get();
    AtomicInteger opened = new AtomicInteger();
    return () ->
        new JdbcLeaseStore(
            opened.getAndIncrement() % 2 == 0 ? database.pool() : database.otherPool(),
            databaseMicros -> Micros.ceil(clock.instant()),
            () -> {});
  }
}
