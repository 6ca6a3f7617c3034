package dev.weir.store.redis;

import dev.weir.limits.LeaseStore;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import dev.weir.store.tck.limits.LeaseStoreKit;
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
 * Runs all kits on one Redis or Cluster: stores alternate between its two clients. Each plays as
 * many traces of limits as {@code jqwik.tries.default}.
 */
interface RedisKit extends LimitStoreKit, LeaseStoreKit {
  AtomicInteger OPENED = new AtomicInteger();

  Servers.Clients clients();

  @Override
  default List<Class<? extends Limit>> kinds() {
    return Servers.ALL_KINDS;
  }

  @Override
  default Supplier<LimitStore> limitsBy(InstantSource clock) {
    return () -> new RedisLimitStore(client(), StoreClock.of(clock));
  }

  @Override
  default Supplier<LeaseStore> leasesBy(InstantSource clock) {
    return () -> new RedisLeaseStore(client(), StoreClock.of(clock));
  }

  @Override
  @Property(seed = "20260602", edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.BOUNDED)
  default void decidesAsCoreDoes(@ForAll(supplier = LimitTraces.class) LimitTrace trace) {
    LimitStoreKit.super.decidesAsCoreDoes(trace);
  }

  default Redis client() {
    return OPENED.getAndIncrement() % 2 == 0 ? clients().one() : clients().other();
  }
}
