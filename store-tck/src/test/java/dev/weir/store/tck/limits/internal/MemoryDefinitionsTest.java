package dev.weir.store.tck.limits.internal;

import dev.weir.limits.Concurrency;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.internal.Definitions;
import dev.weir.limits.internal.MemoryDefinitions;
import java.time.InstantSource;

final class MemoryDefinitionsTest extends DefinitionsKit {
  private final Definitions<TokenBucket> buckets =
      new MemoryDefinitions<>(InstantSource.system(), 1);
  private final Definitions<Concurrency> concurrency =
      new MemoryDefinitions<>(InstantSource.system(), 1);

  @Override
  protected Definitions<TokenBucket> buckets() {
    return buckets;
  }

  @Override
  protected Definitions<Concurrency> concurrency() {
    return concurrency;
  }
}
