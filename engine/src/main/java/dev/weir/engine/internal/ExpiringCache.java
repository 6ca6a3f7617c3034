package dev.weir.engine.internal;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A cache of values that were read from a store by name, each for a limited time. Thread-safe.
 *
 * <p>A value that is invalidated while it is being read is not cached, because the read may have
 * returned the old value.
 */
public final class ExpiringCache<V> {
  /** Names come from callers, but only names that exist are cached. */
  private static final int MAX_ENTRIES = 10_000;

  private final Function<String, Optional<V>> store;
  private final long ttlNanos;
  private final LongSupplier nanoTime;
  private final ConcurrentMap<String, Entry<V>> entries = new ConcurrentHashMap<>();

  /** Number of invalidations so far; guarded by this. */
  private long invalidations;

  private record Entry<V>(V value, long readNanos) {}

  /**
   * Creates an empty cache.
   *
   * @param store reads a value by name
   * @param ttl the time for which a value is cached
   */
  public ExpiringCache(Function<String, Optional<V>> store, Duration ttl, LongSupplier nanoTime) {
    this.store = store;
    this.ttlNanos = ttl.toNanos();
    this.nanoTime = nanoTime;
  }

  /** Returns the cached value of a name without reading the store. */
  public Optional<V> known(String name) {
    Entry<V> entry = entries.get(name);
    return entry != null && nanoTime.getAsLong() - entry.readNanos < ttlNanos
        ? Optional.of(entry.value)
        : Optional.empty();
  }

  /** Returns the cached value of a name, or reads it from the store. */
  public Optional<V> find(String name) {
    Optional<V> known = known(name);
    return known.isPresent() ? known : read(name);
  }

  /** Reads the value of a name from the store and caches it. */
  public Optional<V> read(String name) {
    long now = nanoTime.getAsLong();
    long before = invalidations();
    Optional<V> found = store.apply(name);
    found.ifPresentOrElse(value -> keep(name, new Entry<>(value, now), before), () -> forget(name));
    return found;
  }

  /** Removes one value, because it has changed. */
  public synchronized void forget(String name) {
    invalidations++;
    entries.remove(name);
  }

  /** Removes all values. */
  public synchronized void flush() {
    invalidations++;
    entries.clear();
  }

  private synchronized long invalidations() {
    return invalidations;
  }

  private synchronized void keep(String name, Entry<V> entry, long invalidationsBefore) {
    if (invalidations != invalidationsBefore) {
      return;
    }
    if (entries.size() >= MAX_ENTRIES) {
      entries.clear();
    }
    entries.put(name, entry);
  }
}
