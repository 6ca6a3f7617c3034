package dev.weir.engine.limits;

import dev.weir.core.limits.Decision;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.core.limits.Usage;

/**
 * The transitions of core on a segment that the caller has locked.
 *
 * <p>Each kind of limit has a method of its own with the same words in it. In a common one the
 * compiler could not tell which limit it is about, and would have to make the usages that come and
 * go; in these they dissolve into numbers: taking makes no object, deciding makes the decision.
 */
final class Counting {
  private Counting() {}

  static boolean take(
      Limit limit,
      UsageTable table,
      Segment segment,
      long first,
      long second,
      long cost,
      long nowMicros) {
    int place = segment.find(first, second);
    if (limit instanceof TokenBucket bucket) {
      return take(bucket, table, segment, place, first, second, cost, nowMicros);
    }
    if (limit instanceof FixedWindow window) {
      return take(window, table, segment, place, first, second, cost, nowMicros);
    }
    return take((SlidingWindow) limit, table, segment, place, first, second, cost, nowMicros);
  }

  private static boolean take(
      TokenBucket limit,
      UsageTable table,
      Segment segment,
      int place,
      long first,
      long second,
      long cost,
      long nowMicros) {
    Usage settled = limit.settle(segment.usage(place), nowMicros);
    if (!limit.hasLeft(settled, cost, nowMicros)) {
      return false;
    }
    Usage next = limit.take(settled, cost, nowMicros);
    if (place == Segment.ABSENT) {
      table.requireRoom(segment, nowMicros);
      segment.add(first, second, limit, next.atMicros(), next.used(), next.before(), nowMicros);
    } else {
      segment.write(place, limit, next.atMicros(), next.used(), next.before());
    }
    return true;
  }

  private static boolean take(
      FixedWindow limit,
      UsageTable table,
      Segment segment,
      int place,
      long first,
      long second,
      long cost,
      long nowMicros) {
    Usage settled = limit.settle(segment.usage(place), nowMicros);
    if (!limit.hasLeft(settled, cost, nowMicros)) {
      return false;
    }
    Usage next = limit.take(settled, cost, nowMicros);
    if (place == Segment.ABSENT) {
      table.requireRoom(segment, nowMicros);
      segment.add(first, second, limit, next.atMicros(), next.used(), next.before(), nowMicros);
    } else {
      segment.write(place, limit, next.atMicros(), next.used(), next.before());
    }
    return true;
  }

  private static boolean take(
      SlidingWindow limit,
      UsageTable table,
      Segment segment,
      int place,
      long first,
      long second,
      long cost,
      long nowMicros) {
    Usage settled = limit.settle(segment.usage(place), nowMicros);
    if (!limit.hasLeft(settled, cost, nowMicros)) {
      return false;
    }
    Usage next = limit.take(settled, cost, nowMicros);
    if (place == Segment.ABSENT) {
      table.requireRoom(segment, nowMicros);
      segment.add(first, second, limit, next.atMicros(), next.used(), next.before(), nowMicros);
    } else {
      segment.write(place, limit, next.atMicros(), next.used(), next.before());
    }
    return true;
  }

  static Decision decide(
      Limit limit,
      UsageTable table,
      Segment segment,
      long first,
      long second,
      long cost,
      long nowMicros) {
    int place = segment.find(first, second);
    if (limit instanceof TokenBucket bucket) {
      return decide(bucket, table, segment, place, first, second, cost, nowMicros);
    }
    if (limit instanceof FixedWindow window) {
      return decide(window, table, segment, place, first, second, cost, nowMicros);
    }
    return decide((SlidingWindow) limit, table, segment, place, first, second, cost, nowMicros);
  }

  private static Decision decide(
      TokenBucket limit,
      UsageTable table,
      Segment segment,
      int place,
      long first,
      long second,
      long cost,
      long nowMicros) {
    Usage settled = limit.settle(segment.usage(place), nowMicros);
    long remaining = limit.remaining(settled, nowMicros);
    if (cost > remaining) {
      return limit.refuse(settled, remaining, cost, nowMicros);
    }
    Usage next = limit.take(settled, cost, nowMicros);
    Decision allowed = limit.allow(next, remaining - cost, nowMicros);
    if (place == Segment.ABSENT) {
      table.requireRoom(segment, nowMicros);
      segment.add(first, second, limit, next.atMicros(), next.used(), next.before(), nowMicros);
    } else {
      segment.write(place, limit, next.atMicros(), next.used(), next.before());
    }
    return allowed;
  }

  private static Decision decide(
      FixedWindow limit,
      UsageTable table,
      Segment segment,
      int place,
      long first,
      long second,
      long cost,
      long nowMicros) {
    Usage settled = limit.settle(segment.usage(place), nowMicros);
    long remaining = limit.remaining(settled, nowMicros);
    if (cost > remaining) {
      return limit.refuse(settled, remaining, cost, nowMicros);
    }
    Usage next = limit.take(settled, cost, nowMicros);
    Decision allowed = limit.allow(next, remaining - cost, nowMicros);
    if (place == Segment.ABSENT) {
      table.requireRoom(segment, nowMicros);
      segment.add(first, second, limit, next.atMicros(), next.used(), next.before(), nowMicros);
    } else {
      segment.write(place, limit, next.atMicros(), next.used(), next.before());
    }
    return allowed;
  }

  private static Decision decide(
      SlidingWindow limit,
      UsageTable table,
      Segment segment,
      int place,
      long first,
      long second,
      long cost,
      long nowMicros) {
    Usage settled = limit.settle(segment.usage(place), nowMicros);
    long remaining = limit.remaining(settled, nowMicros);
    if (cost > remaining) {
      return limit.refuse(settled, remaining, cost, nowMicros);
    }
    Usage next = limit.take(settled, cost, nowMicros);
    Decision allowed = limit.allow(next, remaining - cost, nowMicros);
    if (place == Segment.ABSENT) {
      table.requireRoom(segment, nowMicros);
      segment.add(first, second, limit, next.atMicros(), next.used(), next.before(), nowMicros);
    } else {
      segment.write(place, limit, next.atMicros(), next.used(), next.before());
    }
    return allowed;
  }
}
