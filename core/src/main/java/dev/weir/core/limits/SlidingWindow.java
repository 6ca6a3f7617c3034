package dev.weir.core.limits;

import dev.weir.core.slots.Micros;
import java.time.Duration;

/**
 * So many in a window that slides: what was used in the window before counts by the part of it that
 * is still inside, so that no border lets twice the limit pass.
 *
 * <p>Windows start at whole multiples since the epoch. A usage's {@code atMicros} is the start of
 * its window, {@code used} and {@code before} are the counts of that window and the one before,
 * {@code scale} is the window's length.
 */
public record SlidingWindow(long limit, long windowMicros) implements Limit {
  /** The largest limit: a count times {@link #FINEST} parts still fits into 53 bits. */
  public static final long MOST = 1L << 33;

  /** Into so many ticks, at most, a window is divided to weigh the one before. */
  private static final long FINEST = 1L << 20;

  public SlidingWindow {
    Require.between("limit", limit, 1, MOST);
    Require.window(windowMicros);
  }

  public static SlidingWindow of(long limit, Duration window) {
    return new SlidingWindow(limit, Require.micros("window", window));
  }

  @Override
  public long most() {
    return limit;
  }

  @Override
  public Usage settle(Usage usage, long nowMicros) {
    if (usage.isNone()) {
      return fresh(nowMicros);
    }
    if (usage.scale() == windowMicros) {
      return slide(usage, nowMicros);
    }
    // Counted with another window: what still weighs there is taken to be used here and now.
    SlidingWindow former = new SlidingWindow(limit, usage.scale());
    Usage settled = former.slide(usage, nowMicros);
    return new Usage(startOf(nowMicros), former.weighed(settled, nowMicros), 0, windowMicros);
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
    long ticksHere = here < 0 ? 0 : mostTicks(here, settled.before());
    long next = settled.atMicros() + windowMicros;
    if (ticksHere > 0) {
      return next - Math.min(ticksHere * tick(), windowMicros) - nowMicros;
    }
    // In the next window, what is used here is what weighs.
    long ticksThere = mostTicks(limit - cost, settled.used());
    return next + windowMicros - Math.min(ticksThere * tick(), windowMicros) - nowMicros;
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

  /** What counts at the given time, rounded up. */
  private long weighed(Usage settled, long nowMicros) {
    if (settled.before() == 0) {
      return settled.used();
    }
    long left = settled.atMicros() + windowMicros - Math.max(nowMicros, settled.atMicros());
    long ticksLeft = Math.ceilDiv(left, tick());
    return settled.used() + Math.ceilDiv(settled.before() * ticksLeft, ticks());
  }

  /** The most ticks that may be left of a window so that {@code before} weighs at most this. */
  private long mostTicks(long weight, long before) {
    return weight >= before ? ticks() : weight * ticks() / before;
  }

  private long tick() {
    return Math.ceilDiv(windowMicros, FINEST);
  }

  private long ticks() {
    return Math.ceilDiv(windowMicros, tick());
  }

  private long startOf(long micros) {
    return Math.floorDiv(micros, windowMicros) * windowMicros;
  }

  @Override
  public String toString() {
    return limit + " in any " + Micros.duration(windowMicros);
  }
}
