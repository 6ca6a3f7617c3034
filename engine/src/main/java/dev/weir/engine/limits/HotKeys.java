package dev.weir.engine.limits;

import dev.weir.core.limits.Limit;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The hashes of keys that are asked for again and again, as long as a store has few: to find them
 * takes less than to compute them. With many keys it would take more, so nothing is found then.
 *
 * <p>A key has one slot, which it may share with others; whoever is asked for most is there most of
 * the time. It is known by its text, so what is found is right. Thread-safe.
 */
final class HotKeys {
  private static final int SLOTS = 1 << 13;

  /** With more keys nothing is found. */
  private static final int FEW = SLOTS / 2;

  /** One in so many that find another in their slot takes it. */
  private static final int SELDOM = 1_024;

  private final @Nullable Known[] slots = new @Nullable Known[SLOTS];
  private final AtomicLong keys;

  /**
   * @param keys how many keys the store has
   */
  HotKeys(AtomicLong keys) {
    this.keys = keys;
  }

  /** A key of a policy with its hash and its segment. */
  record Known(
      Policy<? extends Limit> policy, String key, long first, long second, Segment segment) {}

  @SuppressWarnings("ReferenceEquality") // an equal policy that is another is hashed anew
  @Nullable Known find(Policy<? extends Limit> policy, String key) {
    if (keys.get() > FEW) {
      return null;
    }
    Known known = slots[slot(policy, key)];
    return known != null && known.policy() == policy && known.key().equals(key) ? known : null;
  }

  // Races are harmless: what is known is immutable, and right wherever it is.
  void add(Policy<? extends Limit> policy, String key, long first, long second, Segment segment) {
    if (keys.get() > FEW) {
      return;
    }
    int slot = slot(policy, key);
    if (slots[slot] == null || ThreadLocalRandom.current().nextInt(SELDOM) == 0) {
      slots[slot] = new Known(policy, key, first, second, segment);
    }
  }

  private static int slot(Policy<? extends Limit> policy, String key) {
    int hash = key.hashCode() + policy.name().hashCode();
    return (hash ^ hash >>> 13) & (SLOTS - 1);
  }
}
