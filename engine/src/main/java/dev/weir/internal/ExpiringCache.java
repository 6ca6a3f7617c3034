package dev.weir.internal;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A cache of values that were read from a store by name, each for a limited time. Thread-safe.
 *
 * <p>Callers that find no value share one read of its name: if the store is slow, a read for each
 * caller would make it slower. A read that fails does so for all of them, and the next caller reads
 * again. No lock is held during a read.
 *
 * <p>A value that is invalidated while it is being read is not cached, and callers that come later
 * do not share that read, because it may return the old value.
 */
public final class ExpiringCache<V> {
  /** Names come from callers, but only names that exist are cached. */
  private static final int MAX_ENTRIES = 10_000;

  /** Longer than a store needs to give up a read. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(20);

  private final Function<String, Optional<V>> store;
  private final long ttlNanos;
  private final LongSupplier nanoTime;
  private final Duration maxWait;
  private final ConcurrentMap<String, Entry<V>> entries = new ConcurrentHashMap<>();

  /** Reads in progress that callers may share; at most one for each caller. */
  private final ConcurrentMap<String, CompletableFuture<Optional<V>>> reads =
      new ConcurrentHashMap<>();

  /** Number of invalidations so far; guarded by this. */
  private long invalidations;

  private record Entry<V>(V value, long readNanos) {}

  /**
   * Creates an empty cache.
   *
   * @param store reads a value by name
   * @param ttl the time for which a value is cached. If it is zero, each caller reads
   */
  public ExpiringCache(Function<String, Optional<V>> store, Duration ttl, LongSupplier nanoTime) {
    this(store, ttl, nanoTime, MAX_WAIT);
  }

  /**
   * @param maxWait max time that a caller waits for the read of another one
   */
  ExpiringCache(
      Function<String, Optional<V>> store, Duration ttl, LongSupplier nanoTime, Duration maxWait) {
    this.store = store;
    this.ttlNanos = ttl.toNanos();
    this.nanoTime = nanoTime;
    this.maxWait = maxWait;
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

  /**
   * Reads the value of a name from the store and caches it, or waits for another caller that does.
   *
   * @throws StoreException if the read fails, or takes too long
   */
  public Optional<V> read(String name) {
    if (ttlNanos == 0) {
      return store.apply(name);
    }
    CompletableFuture<Optional<V>> mine = new CompletableFuture<>();
    CompletableFuture<Optional<V>> others = reads.putIfAbsent(name, mine);
    return others == null ? readFor(name, mine) : await(name, others);
  }

  private Optional<V> readFor(String name, CompletableFuture<Optional<V>> sharing) {
    try {
      Optional<V> found = readAndKeep(name);
      sharing.complete(found);
      return found;
    } catch (RuntimeException | Error e) {
      sharing.completeExceptionally(e);
      throw e;
    } finally {
      reads.remove(name, sharing);
    }
  }

  private Optional<V> readAndKeep(String name) {
    long now = nanoTime.getAsLong();
    long before = invalidations();
    Optional<V> found = store.apply(name);
    found.ifPresentOrElse(
        value -> keep(name, new Entry<>(value, now), before), () -> entries.remove(name));
    return found;
  }

  private Optional<V> await(String name, CompletableFuture<Optional<V>> read) {
    try {
      return read.get(maxWait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure instanceof StoreException ? StoreException.shared(failure) : failure;
      }
      throw failure("another caller could not read " + name, e);
    } catch (TimeoutException e) {
      throw failure("another caller has been reading %s for %s".formatted(name, maxWait), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure("interrupted while another caller read " + name, e);
    }
  }

  private static StoreException failure(String message, Exception cause) {
    return new StoreException(StoreException.Outcome.NONE, message, cause);
  }

  /** Removes one value, because it has changed. */
  public synchronized void forget(String name) {
    invalidations++;
    entries.remove(name);
    reads.remove(name);
  }

  /** Removes all values. */
  public synchronized void flush() {
    invalidations++;
    entries.clear();
    reads.clear();
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
