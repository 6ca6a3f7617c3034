package dev.weir.store.jdbc.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.tck.limits.LimitStoreKit;
import dev.weir.store.tck.limits.LimitTrace;
import dev.weir.store.tck.limits.LimitTraces;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Runs the kit on limits in Oracle: nodes with separate pools on one database. It plays as many
 * traces as {@code jqwik.tries.default}.
 */
final class OracleLimitStoreTest implements LimitStoreKit {
  @Override
  public List<Class<? extends Limit>> kinds() {
    return List.of(FixedWindow.class, SlidingWindow.class, TokenBucket.class);
  }

  @Override
  public Supplier<LimitStore> limitsBy(InstantSource clock) {
    OracleDatabase database = OracleDatabase.get();
    AtomicInteger opened = new AtomicInteger();
    return () ->
        OracleStores.limits(
            opened.getAndIncrement() % 2 == 0 ? database.pool() : database.otherPool(),
            databaseMicros -> Micros.ceil(clock.instant()),
            () -> {});
  }

  @Override
  @Property(seed = "20260604", edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.BOUNDED)
  public void decidesAsCoreDoes(@ForAll(supplier = LimitTraces.class) LimitTrace trace) {
    LimitStoreKit.super.decidesAsCoreDoes(trace);
  }
}
