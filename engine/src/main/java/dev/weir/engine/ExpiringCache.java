package dev.weir.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * What this node has read of a store by name, for a short time. Thread-safe.
 *
 * <p>What is forgotten while it is being read is not kept: whoever read it may have read it as it
 * was before.
 */
public final class ExpiringCache<V> {
  /** Names come from callers, but only names that exist are kept. */
  private static final int MOST = 10_000;

  private final Function<String, Optional<V>> store;
  private final long ttlNanos;
  private final LongSupplier nanoTime;
  private final ConcurrentMap<String, Entry<V>> entries = new ConcurrentHashMap<>();

  /** Counts what was forgotten; guarded by this. */
  private long forgotten;

  private record Entry<V>(V value, long readNanos) {}

  /**
   * @param store reads by name
   */
  public ExpiringCache(Function<String, Optional<V>> store, Duration ttl, LongSupplier nanoTime) {
    this.store = store;
    this.ttlNanos = ttl.toNanos();
    this.nanoTime = nanoTime;
  }

  /** What is known of a name without asking the store. */
  public Optional<V> known(String name) {
    Entry<V> entry = entries.get(name);
    return entry != null && nanoTime.getAsLong() - entry.readNanos < ttlNanos
        ? Optional.of(entry.value)
        : Optional.empty();
  }

  /** What is known of a name, else what the store says. */
  public Optional<V> find(String name) {
    Optional<V> known = known(name);
    return known.isPresent() ? known : read(name);
  }

  /** What the store says of a name. */
  public Optional<V> read(String name) {
    long now = nanoTime.getAsLong();
    long before = forgotten();
    Optional<V> found = store.apply(name);
    found.ifPresentOrElse(value -> keep(name, new Entry<>(value, now), before), () -> forget(name));
    return found;
  }

  /** Drops one, because it has changed. */
  public synchronized void forget(String name) {
    forgotten++;
    entries.remove(name);
  }

  /** Drops everything. */
  public synchronized void flush() {
    forgotten++;
    entries.clear();
  }

  private synchronized long forgotten() {
    return forgotten;
  }

  private synchronized void keep(String name, Entry<V> entry, long forgottenBefore) {
    if (forgotten != forgottenBefore) {
      return;
    }
    if (entries.size() >= MOST) {
      entries.clear();
    }
    entries.put(name, entry);
  }
}
