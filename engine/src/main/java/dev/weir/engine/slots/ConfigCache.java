package dev.weir.engine.slots;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

/**
 * The configurations that this node has seen in force, for a short time. Thread-safe.
 *
 * <p>A stale entry can do no harm to a slot: the ledger compares versions under the configuration's
 * lock. The cache only spares the look-up.
 */
public final class ConfigCache {
  /** Names come from callers, but only names that exist are kept. */
  private static final int MOST = 10_000;

  private final SlotConfigs configs;
  private final long ttlNanos;
  private final LongSupplier nanoTime;
  private final SlotObserver observer;
  private final ConcurrentMap<String, Entry> entries = new ConcurrentHashMap<>();

  private record Entry(SlotConfig config, long readNanos) {}

  public ConfigCache(
      SlotConfigs configs, Duration ttl, LongSupplier nanoTime, SlotObserver observer) {
    this.configs = configs;
    this.ttlNanos = ttl.toNanos();
    this.nanoTime = nanoTime;
    this.observer = observer;
  }

  /** The version in force, as far as this node knows. */
  public Optional<SlotConfig> find(String name) {
    Entry entry = entries.get(name);
    long now = nanoTime.getAsLong();
    if (entry != null && now - entry.readNanos < ttlNanos) {
      observer.configCacheHit();
      return Optional.of(entry.config);
    }
    observer.configCacheMiss();
    Optional<SlotConfig> found = configs.inForce(name);
    found.ifPresentOrElse(config -> keep(new Entry(config, now)), () -> forget(name));
    return found;
  }

  /** Drops one configuration, because it has changed. */
  public void forget(String name) {
    entries.remove(name);
  }

  /** Drops everything. */
  public void flush() {
    entries.clear();
  }

  private void keep(Entry entry) {
    if (entries.size() >= MOST) {
      entries.clear();
    }
    entries.put(entry.config.name(), entry);
  }
}
