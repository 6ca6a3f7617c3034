package dev.weir.slots;

import dev.weir.internal.ExpiringCache;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A short-lived cache of the current configurations. Thread-safe.
 *
 * <p>A stale entry cannot lead to a wrong slot, because the ledger compares versions, and the times
 * at which they were created, under the configuration's lock. The cache only saves the look-up.
 */
final class ConfigCache {
  private final ExpiringCache<SlotConfig> cache;
  private final SlotObserver observer;

  ConfigCache(SlotConfigs configs, Duration ttl, LongSupplier nanoTime, SlotObserver observer) {
    this.cache = new ExpiringCache<>(configs::inForce, ttl, nanoTime);
    this.observer = observer;
  }

  /** Returns the current version, as far as this node knows. */
  Optional<SlotConfig> find(String name) {
    Optional<SlotConfig> known = cache.known(name);
    if (known.isPresent()) {
      observer.configCacheHit();
      return known;
    }
    observer.configCacheMiss();
    return cache.read(name);
  }

  /** Removes one configuration, because it has changed. */
  void forget(String name) {
    cache.forget(name);
  }

  /** Removes all configurations. */
  void flush() {
    cache.flush();
  }
}
