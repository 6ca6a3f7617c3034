package dev.weir.store.jdbc.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.LeaseStore;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.tck.limits.LeaseStoreKit;
import dev.weir.store.tck.limits.LeaseTrace;
import dev.weir.store.tck.limits.LeaseTraces;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Runs the kit on leases in Oracle: nodes with separate pools on one database. It plays as many
 * traces as {@code jqwik.tries.default}.
 */
final class OracleLeaseStoreTest implements LeaseStoreKit {
  @Override
  public Supplier<LeaseStore> leasesBy(InstantSource clock) {
    OracleDatabase database = OracleDatabase.get();
    AtomicInteger opened = new AtomicInteger();
    return () ->
        OracleStores.leases(
            opened.getAndIncrement() % 2 == 0 ? database.pool() : database.otherPool(),
            databaseMicros -> Micros.ceil(clock.instant()),
            () -> {});
  }

  @Override
  @Property(seed = "20260605", edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.BOUNDED)
  public void leasesAsCoreDoes(@ForAll(supplier = LeaseTraces.class) LeaseTrace trace) {
    LeaseStoreKit.super.leasesAsCoreDoes(trace);
  }
}
