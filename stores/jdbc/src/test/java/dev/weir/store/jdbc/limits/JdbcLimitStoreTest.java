package dev.weir.store.jdbc.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.store.jdbc.Database;
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
 * Runs the kit on limits in PostgreSQL: nodes with separate pools on one database. It plays as many
 * traces as {@code jqwik.tries.default}.
 */
final class JdbcLimitStoreTest implements LimitStoreKit {
  @Override
  public List<Class<? extends Limit>> kinds() {
    return List.of(FixedWindow.class, SlidingWindow.class, TokenBucket.class);
  }

  @Override
  public Supplier<LimitStore> limitsBy(InstantSource clock) {
    Database database = Database.get();
    AtomicInteger opened = new AtomicInteger();
    return () ->
        new JdbcLimitStore(
            opened.getAndIncrement() % 2 == 0 ? database.pool() : database.otherPool(),
            databaseMicros -> Micros.ceil(clock.instant()),
            JdbcLimitStore.Settings.DEFAULT,
            () -> {});
  }

  @Override
  @Property(seed = "20260602", edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.BOUNDED)
  public void decidesAsCoreDoes(@ForAll(supplier = LimitTraces.class) LimitTrace trace) {
    LimitStoreKit.super.decidesAsCoreDoes(trace);
  }
}
