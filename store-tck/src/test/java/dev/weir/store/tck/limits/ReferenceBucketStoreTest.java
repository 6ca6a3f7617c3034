package dev.weir.store.tck.limits;

import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import dev.weir.limits.TokenBucket;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;

/** The kit accepts a correct store of token buckets only. */
final class ReferenceBucketStoreTest implements LimitStoreKit {
  @Override
  public List<Class<? extends Limit>> kinds() {
    return List.of(TokenBucket.class);
  }

  @Override
  public Supplier<LimitStore> limitsBy(InstantSource clock) {
    LimitStore store = new ReferenceLimitStore(clock, ReferenceLimitStore.Defect.NONE);
    return () -> store;
  }
}
