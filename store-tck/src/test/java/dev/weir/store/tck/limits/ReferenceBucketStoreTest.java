package dev.weir.store.tck.limits;

import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.LimitStore;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;

/** The kit accepts a plain store of token buckets alone. */
final class ReferenceBucketStoreTest implements LimitStoreKit<TokenBucket> {
  @Override
  public List<Class<? extends TokenBucket>> kinds() {
    return List.of(TokenBucket.class);
  }

  @Override
  public Supplier<LimitStore<TokenBucket>> limitsBy(InstantSource clock) {
    LimitStore<TokenBucket> store =
        new ReferenceLimitStore<>(clock, ReferenceLimitStore.Defect.NONE);
    return () -> store;
  }
}
