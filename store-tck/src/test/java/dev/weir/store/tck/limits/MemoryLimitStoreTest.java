package dev.weir.store.tck.limits;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.memory.MemoryLimitStore;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;

class MemoryLimitStoreTest implements LimitStoreKit, IdleUsageClaims {
  private static final long MAX_KEYS = 100_000;

  @Override
  public List<Class<? extends Limit>> kinds() {
    return List.of(FixedWindow.class, SlidingWindow.class, TokenBucket.class);
  }

  @Override
  public Supplier<LimitStore> limitsBy(InstantSource clock) {
    LimitStore store = new MemoryLimitStore(clock, MAX_KEYS);
    return () -> store;
  }

  @Override
  public void forgetIdle(LimitStore store) {
    ((MemoryLimitStore) store).sweep();
  }
}
