package dev.weir.limits.memory;

import dev.weir.limits.Decision;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;

/**
 * The transitions of limits on an entry that the caller holds and that was written under the same
 * limit.
 *
 * <p>Each kind of limit has its own method with the same body. In a shared one the compiler could
 * not determine the type of the limit and would have to allocate the intermediate usages. In these
 * they are reduced to numbers by escape analysis: taking allocates nothing, deciding allocates only
 * the decision.
 */
final class EntryTransitions {
  private EntryTransitions() {}

  static boolean take(Limit limit, long[] entries, int entry, long cost, long nowMicros) {
    if (limit instanceof TokenBucket bucket) {
      return take(bucket, entries, entry, cost, nowMicros);
    }
    if (limit instanceof FixedWindow window) {
      return take(window, entries, entry, cost, nowMicros);
    }
    return take((SlidingWindow) limit, entries, entry, cost, nowMicros);
  }

  private static boolean take(
      TokenBucket limit, long[] entries, int entry, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, entries, entry), nowMicros);
    if (!limit.hasLeft(settled, cost, nowMicros)) {
      keep(entries, entry, settled.atMicros(), settled.used());
      return false;
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(entries, entry, next.atMicros(), next.used());
    return true;
  }

  private static boolean take(
      FixedWindow limit, long[] entries, int entry, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, entries, entry), nowMicros);
    if (!limit.hasLeft(settled, cost, nowMicros)) {
      keep(entries, entry, settled.atMicros(), settled.used());
      return false;
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(entries, entry, next.atMicros(), next.used());
    return true;
  }

  private static boolean take(
      SlidingWindow limit, long[] entries, int entry, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, entries, entry), nowMicros);
    if (!limit.hasLeft(settled, cost, nowMicros)) {
      keepBoth(entries, entry, settled.atMicros(), settled.used(), settled.before());
      return false;
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(entries, entry, next.atMicros(), next.used());
    EntryLayout.writeBefore(entries, entry, next.before());
    return true;
  }

  static Decision decide(Limit limit, long[] entries, int entry, long cost, long nowMicros) {
    if (limit instanceof TokenBucket bucket) {
      return decide(bucket, entries, entry, cost, nowMicros);
    }
    if (limit instanceof FixedWindow window) {
      return decide(window, entries, entry, cost, nowMicros);
    }
    return decide((SlidingWindow) limit, entries, entry, cost, nowMicros);
  }

  private static Decision decide(
      TokenBucket limit, long[] entries, int entry, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, entries, entry), nowMicros);
    long remaining = limit.remaining(settled, nowMicros);
    if (cost > remaining) {
      keep(entries, entry, settled.atMicros(), settled.used());
      return limit.refuse(settled, remaining, cost, nowMicros);
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(entries, entry, next.atMicros(), next.used());
    return limit.allow(next, remaining - cost, nowMicros);
  }

  private static Decision decide(
      FixedWindow limit, long[] entries, int entry, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, entries, entry), nowMicros);
    long remaining = limit.remaining(settled, nowMicros);
    if (cost > remaining) {
      keep(entries, entry, settled.atMicros(), settled.used());
      return limit.refuse(settled, remaining, cost, nowMicros);
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(entries, entry, next.atMicros(), next.used());
    return limit.allow(next, remaining - cost, nowMicros);
  }

  private static Decision decide(
      SlidingWindow limit, long[] entries, int entry, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, entries, entry), nowMicros);
    long remaining = limit.remaining(settled, nowMicros);
    if (cost > remaining) {
      keepBoth(entries, entry, settled.atMicros(), settled.used(), settled.before());
      return limit.refuse(settled, remaining, cost, nowMicros);
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(entries, entry, next.atMicros(), next.used());
    EntryLayout.writeBefore(entries, entry, next.before());
    return limit.allow(next, remaining - cost, nowMicros);
  }

  /**
   * Writes a usage of which nothing was taken if it was too far ahead, see {@link Limit}: nothing
   * else moves it back. The numbers are passed instead of the usage, which would otherwise have to
   * be an object even for requests that are granted.
   */
  private static void keep(long[] entries, int entry, long atMicros, long used) {
    if (atMicros < EntryLayout.atMicros(entries, entry)) {
      EntryLayout.write(entries, entry, atMicros, used);
    }
  }

  private static void keepBoth(long[] entries, int entry, long atMicros, long used, long before) {
    if (atMicros < EntryLayout.atMicros(entries, entry)) {
      EntryLayout.write(entries, entry, atMicros, used);
      EntryLayout.writeBefore(entries, entry, before);
    }
  }

  private static Usage usage(TokenBucket limit, long[] entries, int entry) {
    return new Usage(
        EntryLayout.atMicros(entries, entry),
        EntryLayout.used(entries, entry),
        limit.refillTokens(),
        limit.refillMicros());
  }

  private static Usage usage(FixedWindow limit, long[] entries, int entry) {
    return limit.used(EntryLayout.atMicros(entries, entry), EntryLayout.used(entries, entry));
  }

  private static Usage usage(SlidingWindow limit, long[] entries, int entry) {
    return new Usage(
        EntryLayout.atMicros(entries, entry),
        EntryLayout.used(entries, entry),
        EntryLayout.before(entries, entry),
        limit.windowMicros());
  }
}
