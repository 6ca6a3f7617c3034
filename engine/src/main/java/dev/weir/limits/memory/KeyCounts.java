package dev.weir.limits.memory;

import dev.weir.StoreException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The number of keys in a store, of all policies and of each, and who may add more.
 *
 * <p>A policy may have as many keys as are free, so a client that makes up keys of one policy fills
 * half of the store, one that goes on with a second policy half of the rest, and so on (dynamic
 * thresholds, Choudhury and Hahne, 1998). Policies are told apart by a part of the hash of their
 * keys ({@link KeyHash#TAG}); of a few that have the same, the keys are counted together.
 * Thread-safe; callers that add keys at the same moment may exceed a bound by as many.
 */
final class KeyCounts {
  /** Fewer keys are not worth sharing. */
  private static final long MIN_SHARED_KEYS = 1_000;

  private final long maxKeys;
  private final AtomicLong total = new AtomicLong();
  private final AtomicIntegerArray byTag = new AtomicIntegerArray((int) KeyHash.TAG + 1);

  KeyCounts(long maxKeys) {
    this.maxKeys = maxKeys;
  }

  long total() {
    return total.get();
  }

  /**
   * @param second the second lane of the hash of the key
   */
  void added(long second) {
    total.getAndIncrement();
    byTag.getAndIncrement(tag(second));
  }

  void removed(long second) {
    total.getAndDecrement();
    byTag.getAndDecrement(tag(second));
  }

  private static int tag(long second) {
    return (int) (second & KeyHash.TAG);
  }

  /**
   * Returns true if keys may be added.
   *
   * @param seconds the second lanes of the hashes of the keys
   */
  boolean hasCapacity(long... seconds) {
    long free = maxKeys - total.get();
    if (seconds.length > free) {
      return false;
    }
    if (maxKeys < MIN_SHARED_KEYS) {
      return true;
    }
    for (long second : seconds) {
      long wanted = byTag.get(tag(second));
      for (long other : seconds) {
        wanted += tag(other) == tag(second) ? 1 : 0;
      }
      if (wanted > free) {
        return false;
      }
    }
    return true;
  }

  /** Returns the exception for keys that may not be added. */
  StoreException full(long... seconds) {
    long max = 0;
    for (long second : seconds) {
      max = Math.max(max, byTag.get(tag(second)));
    }
    return StoreException.full(
        seconds.length > maxKeys - total.get()
            ? "full: %d keys are in use".formatted(maxKeys)
            : "full for this rule: %d keys of it are in use, the rest is left to others"
                .formatted(max));
  }
}
