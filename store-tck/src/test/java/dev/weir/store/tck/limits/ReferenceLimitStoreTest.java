package dev.weir.store.tck.limits;

import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.LimitStore;
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
