package dev.weir.store.tck.limits;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;

/** The kit accepts a correct store of all kinds of limits. */
final class ReferenceLimitStoreTest implements LimitStoreKit, IdleUsageClaims {
  @Override
  public List<Class<? extends Limit>> kinds() {
    return List.of(FixedWindow.class, SlidingWindow.class, TokenBucket.class);
  }

  @Override
  public Supplier<LimitStore> limitsBy(InstantSource clock) {
    LimitStore store = new ReferenceLimitStore(clock, ReferenceLimitStore.Defect.NONE);
    return () -> store;
  }

  @Override
  public void forgetIdle(LimitStore store) {}
}
