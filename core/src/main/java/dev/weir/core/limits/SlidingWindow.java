package dev.weir.core.limits;

import dev.weir.core.internal.Micros;
import java.time.Duration;

/**
 * Up to {@code limit} units in every aligned window, and approximately that in every other interval
 * of the same length: the previous window counts in proportion to the part of it that an interval
 * of one window ending now still covers.
 *
 * <p>The previous window's usage is assumed to be spread evenly. If it is not, more than the limit
 * passes: in an interval no longer than a window up to {@code limit × (1 + interval / window)}, so
 * in a whole window up to {@code 2 × limit - 1}. That happens if the limit is used up at the very
 * end of one aligned window and again little by little until the end of the next. At any single
 * moment it is never more than {@code limit}.
 *
 * <p>Windows start at whole multiples of their length since the epoch. In a {@link Usage}, {@code
 * atMicros} is the start of the window, {@code used} and {@code before} are the counts of that
 * window and the previous one, and {@code scale} is the length of the window. When the length
 * changes, the units that count at that time all count as used in the present window.
 */
public record SlidingWindow(long limit, long windowMicros) implements Limit {
  /** The maximum limit: a count times {@link #MAX_TICKS} still fits into 53 bits. */
  public static final long MAX_LIMIT = 1L << 33;

  /** The maximum number of ticks into which a window is divided to weigh the previous one. */
  private static final long MAX_TICKS = 1L << 20;

  public SlidingWindow {
    Require.between("limit", limit, 1, MAX_LIMIT);
    Require.window(windowMicros);
  }

  public static SlidingWindow of(long limit, Duration window) {
    return new SlidingWindow(limit, Require.micros("window", window));
  }

  @Override
  public long maxCost() {
    return limit;
  }

  @Override
  public Usage settle(Usage usage, long nowMicros) {
    if (!isCurrent(usage, nowMicros)) {
      return carriedOver(usage, nowMicros);
    }
    return usage.isNone() ? fresh(nowMicros) : slide(usage, nowMicros);
  }

  @Override
  public boolean isCurrent(Usage usage, long nowMicros) {
    return usage.isNone()
        || (usage.scale() == windowMicros && !isTooFarAhead(usage, windowMicros, nowMicros));
  }

  @Override
  public boolean decaysLike(Limit other) {
    return other instanceof SlidingWindow window && window.windowMicros == windowMicros;
  }

  private static boolean isTooFarAhead(Usage usage, long windowMicros, long nowMicros) {
    return usage.atMicros() - nowMicros > Math.max(windowMicros, MAX_AHEAD_MICROS);
  }

  private Usage carriedOver(Usage usage, long nowMicros) {
    SlidingWindow former = new SlidingWindow(limit, usage.scale());
    Usage slid = former.slide(usage, nowMicros);
    long used = Math.min(former.weighed(slid, nowMicros), MAX_LIMIT);
    long shorter = Math.min(former.windowMicros, windowMicros);
    long at =
        isTooFarAhead(slid, shorter, nowMicros) ? nowMicros : Math.max(nowMicros, slid.atMicros());
    return used == 0 ? fresh(nowMicros) : new Usage(startOf(at), used, 0, windowMicros);
  }

  private Usage slide(Usage usage, long nowMicros) {
    long start = startOf(nowMicros);
    if (start <= usage.atMicros()) {
      return usage;
    }
    return start == usage.atMicros() + windowMicros
        ? new Usage(start, 0, usage.used(), windowMicros)
        : fresh(nowMicros);
  }

  @Override
  public long remaining(Usage settled, long nowMicros) {
    return Math.max(0, limit - weighed(settled, nowMicros));
  }

  @Override
  public Usage take(Usage settled, long cost, long nowMicros) {
    return new Usage(settled.atMicros(), settled.used() + cost, settled.before(), windowMicros);
  }

  @Override
  public long waitMicros(Usage settled, long cost, long nowMicros) {
    if (cost <= remaining(settled, nowMicros)) {
      return 0;
    }
    long here = limit - cost - settled.used();
    long leftHere = here < 0 ? 0 : maxLeft(here, settled.before());
    long next = settled.atMicros() + windowMicros;
    if (leftHere > 0) {
      return next - leftHere - nowMicros;
    }
    // In the next window, the current window is the previous one and its count is weighed.
    return next + windowMicros - maxLeft(limit - cost, settled.used()) - nowMicros;
  }

  @Override
  public Usage giveBack(Usage settled, long cost, long takenAtMicros) {
    long used = settled.used();
    long before = settled.before();
    if (takenAtMicros >= settled.atMicros()) {
      used = Math.max(0, used - cost);
    } else if (takenAtMicros >= settled.atMicros() - windowMicros) {
      before = Math.max(0, before - cost);
    }
    return new Usage(settled.atMicros(), used, before, windowMicros);
  }

  @Override
  public long idleMicros(Usage settled, long nowMicros) {
    if (settled.isNone()) {
      return 0;
    }
    long windows = settled.used() > 0 ? 2 : 1;
    return settled.atMicros() + windows * windowMicros - nowMicros;
  }

  @Override
  public SlidingWindow share(int nodes) {
    return new SlidingWindow(Require.share(limit, nodes), windowMicros);
  }

  private Usage fresh(long nowMicros) {
    return new Usage(startOf(nowMicros), 0, 0, windowMicros);
  }

  /** Returns the units that count at the given time, rounded up. */
  private long weighed(Usage settled, long nowMicros) {
    if (settled.before() == 0) {
      return settled.used();
    }
    long left = settled.atMicros() + windowMicros - Math.max(nowMicros, settled.atMicros());
    // The remaining part is rounded up, so the number of ticks of a whole window is rounded
    // down.
    long ticksLeft = Math.min(Math.ceilDiv(left, tick()), ticks());
    return settled.used() + Math.ceilDiv(settled.before() * ticksLeft, ticks());
  }

  /**
   * Returns the maximum time that may be left of a window so that {@code before} weighs at most
   * {@code weight}.
   */
  private long maxLeft(long weight, long before) {
    return weight >= before ? windowMicros : weight * ticks() / before * tick();
  }

  private long tick() {
    return Math.ceilDiv(windowMicros, MAX_TICKS);
  }

  private long ticks() {
    return windowMicros / tick();
  }

  private long startOf(long micros) {
    return Math.floorDiv(micros, windowMicros) * windowMicros;
  }

  @Override
  public String toString() {
    return limit + " in a sliding " + Micros.duration(windowMicros);
  }
}
