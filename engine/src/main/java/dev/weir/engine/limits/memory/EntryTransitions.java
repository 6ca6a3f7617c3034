package dev.weir.engine.limits.memory;

import dev.weir.core.limits.Decision;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.core.limits.Usage;

/**
 * The transitions of core on a place that the caller holds, and that was written under the terms of
 * the limit.
 *
 * <p>Each kind of limit has a method of its own with the same words in it. In a common one the
 * compiler could not tell which limit it is about, and would have to make the usages that come and
 * go; in these they dissolve into numbers: taking makes no object, deciding makes the decision.
 */
final class EntryTransitions {
  private EntryTransitions() {}

  static boolean take(Limit limit, long[] places, int place, long cost, long nowMicros) {
    if (limit instanceof TokenBucket bucket) {
      return take(bucket, places, place, cost, nowMicros);
    }
    if (limit instanceof FixedWindow window) {
      return take(window, places, place, cost, nowMicros);
    }
    return take((SlidingWindow) limit, places, place, cost, nowMicros);
  }

  private static boolean take(
      TokenBucket limit, long[] places, int place, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, places, place), nowMicros);
    if (!limit.hasLeft(settled, cost, nowMicros)) {
      return false;
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(places, place, next.atMicros(), next.used());
    return true;
  }

  private static boolean take(
      FixedWindow limit, long[] places, int place, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, places, place), nowMicros);
    if (!limit.hasLeft(settled, cost, nowMicros)) {
      return false;
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(places, place, next.atMicros(), next.used());
    return true;
  }

  private static boolean take(
      SlidingWindow limit, long[] places, int place, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, places, place), nowMicros);
    if (!limit.hasLeft(settled, cost, nowMicros)) {
      return false;
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(places, place, next.atMicros(), next.used());
    EntryLayout.writeBefore(places, place, next.before());
    return true;
  }

  static Decision decide(Limit limit, long[] places, int place, long cost, long nowMicros) {
    if (limit instanceof TokenBucket bucket) {
      return decide(bucket, places, place, cost, nowMicros);
    }
    if (limit instanceof FixedWindow window) {
      return decide(window, places, place, cost, nowMicros);
    }
    return decide((SlidingWindow) limit, places, place, cost, nowMicros);
  }

  private static Decision decide(
      TokenBucket limit, long[] places, int place, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, places, place), nowMicros);
    long remaining = limit.remaining(settled, nowMicros);
    if (cost > remaining) {
      return limit.refuse(settled, remaining, cost, nowMicros);
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(places, place, next.atMicros(), next.used());
    return limit.allow(next, remaining - cost, nowMicros);
  }

  private static Decision decide(
      FixedWindow limit, long[] places, int place, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, places, place), nowMicros);
    long remaining = limit.remaining(settled, nowMicros);
    if (cost > remaining) {
      return limit.refuse(settled, remaining, cost, nowMicros);
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(places, place, next.atMicros(), next.used());
    return limit.allow(next, remaining - cost, nowMicros);
  }

  private static Decision decide(
      SlidingWindow limit, long[] places, int place, long cost, long nowMicros) {
    Usage settled = limit.settle(usage(limit, places, place), nowMicros);
    long remaining = limit.remaining(settled, nowMicros);
    if (cost > remaining) {
      return limit.refuse(settled, remaining, cost, nowMicros);
    }
    Usage next = limit.take(settled, cost, nowMicros);
    EntryLayout.write(places, place, next.atMicros(), next.used());
    EntryLayout.writeBefore(places, place, next.before());
    return limit.allow(next, remaining - cost, nowMicros);
  }

  private static Usage usage(TokenBucket limit, long[] places, int place) {
    return new Usage(
        EntryLayout.atMicros(places, place),
        EntryLayout.used(places, place),
        0,
        LimitInterner.scaleOf(limit));
  }

  private static Usage usage(FixedWindow limit, long[] places, int place) {
    return new Usage(
        EntryLayout.atMicros(places, place),
        EntryLayout.used(places, place),
        0,
        LimitInterner.scaleOf(limit));
  }

  private static Usage usage(SlidingWindow limit, long[] places, int place) {
    return new Usage(
        EntryLayout.atMicros(places, place),
        EntryLayout.used(places, place),
        EntryLayout.before(places, place),
        LimitInterner.scaleOf(limit));
  }
}
