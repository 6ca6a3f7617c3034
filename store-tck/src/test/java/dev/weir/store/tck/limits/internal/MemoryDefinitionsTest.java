package dev.weir.store.tck.limits.internal;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.internal.Definitions;
import dev.weir.engine.limits.internal.MemoryDefinitions;
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
