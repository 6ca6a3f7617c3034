package dev.weir.engine.limits;

import dev.weir.core.limits.Limit;
import java.util.function.Function;

/**
 * Moves counts between the segments of their keys and the {@link HotPlaces}.
 *
 * <p>Whoever moves a key has the lock of its segment and holds its hot place. So who has that lock
 * and has {@link #recall recalled} a key finds it in the segment or nowhere, until the lock is
 * given back.
 */
final class Promotions {
  private final KeyHash hash;
  private final HotPlaces hot;
  private final Function<Limit, UsageTable> tables;

  Promotions(KeyHash hash, HotPlaces hot, Function<Limit, UsageTable> tables) {
    this.hash = hash;
    this.hot = hot;
    this.tables = tables;
  }

  /**
   * Gives a key of this segment its hot place, and who has that a place in its segment. If somebody
   * is busy in one of the segments, it is left to a later call.
   */
  void promote(
      Policy<? extends Limit> policy,
      String key,
      long first,
      long second,
      Segment segment,
      long nowMicros) {
    if (!segment.tryLock()) {
      return;
    }
    try {
      int to = hot.holdPlaceOf(key);
      try {
        if (isVacated(to, segment, nowMicros)) {
          int from = segment.find(first, second);
          if (from != Segment.ABSENT && segment.isUnder(policy.limit(), from)) {
            hot.give(to, policy, key, segment.takeOut(from));
          }
        }
      } finally {
        hot.letGo(to);
      }
    } finally {
      segment.unlock();
    }
  }

  private boolean isVacated(int place, Segment locked, long nowMicros) {
    if (hot.isFree(place)) {
      return true;
    }
    Policy<? extends Limit> policy = hot.policy(place);
    KeyHash.Prefix prefix = hash.prefix(MemoryLimitStore.kind(policy.limit()), policy.name());
    long first = hash.first(prefix, hot.key(place));
    long second = hash.second(prefix, hot.key(place));
    Segment segment = tables.apply(policy.limit()).segmentOf(first);
    if (segment == locked) {
      demote(place, first, second, segment, nowMicros);
      return true;
    }
    if (!segment.tryLock()) {
      return false;
    }
    try {
      demote(place, first, second, segment, nowMicros);
    } finally {
      segment.unlock();
    }
    return true;
  }

  /** Gives a key back to its segment, which the caller has locked, if it has its hot place. */
  void recall(
      Policy<? extends Limit> policy,
      String key,
      long first,
      long second,
      Segment segment,
      long nowMicros) {
    int place = hot.holdPlaceOf(key);
    try {
      if (!hot.isFree(place)
          && hot.key(place).equals(key)
          && isCountedAs(policy, hot.policy(place))) {
        demote(place, first, second, segment, nowMicros);
      }
    } finally {
      hot.letGo(place);
    }
  }

  /** Whether two policies count together, perhaps with different numbers. */
  private static boolean isCountedAs(Policy<? extends Limit> one, Policy<? extends Limit> other) {
    return one.name().equals(other.name())
        && MemoryLimitStore.kind(one.limit()) == MemoryLimitStore.kind(other.limit());
  }

  private void demote(int place, long first, long second, Segment segment, long nowMicros) {
    Limit limit = hot.policy(place).limit();
    segment.bring(first, second, limit, hot.usage(place), nowMicros);
    hot.free(place);
  }
}
