package dev.weir.engine.slots;

import dev.weir.engine.ExpiringCache;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The configurations that this node has seen in force, for a short time. Thread-safe.
 *
 * <p>A stale entry can do no harm to a slot: the ledger compares versions under the configuration's
 * lock. The cache only spares the look-up.
 */
public final class ConfigCache {
  private final ExpiringCache<SlotConfig> recent;
  private final SlotObserver observer;

  public ConfigCache(
      SlotConfigs configs, Duration ttl, LongSupplier nanoTime, SlotObserver observer) {
    this.recent = new ExpiringCache<>(configs::inForce, ttl, nanoTime);
    this.observer = observer;
  }

  /** The version in force, as far as this node knows. */
  public Optional<SlotConfig> find(String name) {
    Optional<SlotConfig> known = recent.known(name);
    if (known.isPresent()) {
      observer.configCacheHit();
      return known;
    }
    observer.configCacheMiss();
    return recent.read(name);
  }

  /** Drops one configuration, because it has changed. */
  public void forget(String name) {
    recent.forget(name);
  }

  /** Drops everything. */
  public void flush() {
    recent.flush();
  }
}
