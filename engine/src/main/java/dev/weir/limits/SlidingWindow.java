package dev.weir.limits;

import dev.weir.internal.Micros;
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
 * atMicros} is a time in the window, {@code used} and {@code before} are the counts of that window
 * and the previous one, and {@code scale} is the length of the window. When the length changes, the
 * units that count at that time all count as used in the present window.
 *
 * <p>If there is no {@code before}, {@code atMicros} is the time since which units were taken that
 * count in full: of the first use, or after a change the start of the former window. Units that
 * were taken earlier are restored, at least in part, and cannot be given back. In the following
 * window these units are {@code before}, and {@code atMicros} is one window later.
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

  /** Returns the length of the window. */
  public Duration window() {
    return Micros.duration(windowMicros);
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
        || (usage.scale() == windowMicros
            && !isTooFarAhead(startOf(usage.atMicros()), windowMicros, nowMicros));
  }

  @Override
  public boolean decaysLike(Limit other) {
    return other instanceof SlidingWindow window && window.windowMicros == windowMicros;
  }

  @Override
  public SlidingWindow countedLike(Usage usage) {
    return usage.isNone() ? this : new SlidingWindow(limit, usage.scale());
  }

  private static boolean isTooFarAhead(long startMicros, long windowMicros, long nowMicros) {
    return startMicros - nowMicros > Math.max(windowMicros, MAX_AHEAD_MICROS);
  }

  private Usage carriedOver(Usage usage, long nowMicros) {
    SlidingWindow former = new SlidingWindow(limit, usage.scale());
    Usage slid = former.slide(usage, nowMicros);
    long used = Math.min(former.weighed(slid, nowMicros), MAX_LIMIT);
    if (used == 0) {
      return fresh(nowMicros);
    }
    long formerStart = former.startOf(slid.atMicros());
    if (isTooFarAhead(formerStart, Math.min(former.windowMicros, windowMicros), nowMicros)) {
      return new Usage(nowMicros, used, 0, windowMicros);
    }
    long latest = Math.max(nowMicros, formerStart);
    long inFullSince = Math.min(latest, former.inFullSince(slid));
    return new Usage(Math.max(inFullSince, startOf(latest)), used, 0, windowMicros);
  }

  private Usage slide(Usage usage, long nowMicros) {
    long start = startOf(nowMicros);
    long former = startOf(usage.atMicros());
    if (start <= former) {
      return usage;
    }
    if (usage.used() == 0 || start > former + windowMicros) {
      return fresh(nowMicros);
    }
    return new Usage(inFullSince(usage) + windowMicros, 0, usage.used(), windowMicros);
  }

  /** Returns the time since which the units in {@code used} were counted in full. */
  private long inFullSince(Usage usage) {
    return usage.before() == 0 ? usage.atMicros() : startOf(usage.atMicros());
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
    long next = startOf(settled.atMicros()) + windowMicros;
    if (leftHere > 0) {
      return next - leftHere - nowMicros;
    }
    // In the next window, the current window is the previous one and its count is weighed.
    return next + windowMicros - maxLeft(limit - cost, settled.used()) - nowMicros;
  }

  @Override
  public Usage giveBack(Usage settled, long cost, long takenAtMicros) {
    long at = settled.atMicros();
    if (takenAtMicros >= inFullSince(settled)) {
      return new Usage(at, Math.max(0, settled.used() - cost), settled.before(), windowMicros);
    }
    if (takenAtMicros < at - windowMicros || settled.before() == 0) {
      return settled;
    }
    long before = Math.max(0, settled.before() - cost);
    return new Usage(before == 0 ? startOf(at) : at, settled.used(), before, windowMicros);
  }

  @Override
  public long idleMicros(Usage settled, long nowMicros) {
    if (settled.isNone()) {
      return 0;
    }
    long windows = settled.used() > 0 ? 2 : 1;
    return startOf(settled.atMicros()) + windows * windowMicros - nowMicros;
  }

  @Override
  public SlidingWindow share(int nodes) {
    return new SlidingWindow(Require.share(limit, nodes), windowMicros);
  }

  private Usage fresh(long nowMicros) {
    return new Usage(nowMicros, 0, 0, windowMicros);
  }

  /** Returns the units that count at the given time, rounded up. */
  private long weighed(Usage settled, long nowMicros) {
    if (settled.before() == 0) {
      return settled.used();
    }
    long start = startOf(settled.atMicros());
    long left = start + windowMicros - Math.max(nowMicros, start);
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
