package dev.weir.limits;

import dev.weir.internal.Micros;
import java.time.Duration;

/**
 * Up to {@code limit} units per window of time; the count restarts when a window ends.
 *
 * <p>In a {@link Usage}, {@code atMicros} is the time of the first use in the window, {@code used}
 * the count, {@code before} {@value #ALIGNED} for a window that is aligned to the epoch, and {@code
 * scale} the length of the window. Units that were taken before the first use are restored already,
 * whatever the length of windows was then, so they cannot be given back.
 *
 * <p>When the length changes, a window that is still open keeps its count: if windows get longer,
 * it gets longer too; if they get shorter, it ends at its former end or one new window from now,
 * whichever is earlier. A window that is aligned to the epoch is replaced by the present one of the
 * new length.
 *
 * @param start where windows start
 */
public record FixedWindow(long limit, long windowMicros, Start start) implements Limit {
  /** The maximum value of {@code limit}. */
  public static final long MAX_LIMIT = 1_000_000_000_000L;

  private static final long ALIGNED = 1;

  /** Where windows start. */
  public enum Start {
    /** At the first use after the previous window has ended. */
    FIRST_USE,
    /** At whole multiples of the window since the epoch, the same for all keys. */
    EPOCH
  }

  public FixedWindow {
    Require.between("limit", limit, 1, MAX_LIMIT);
    Require.window(windowMicros);
  }

  public static FixedWindow of(long limit, Duration window) {
    return new FixedWindow(limit, Require.micros("window", window), Start.FIRST_USE);
  }

  /**
   * Returns this limit with windows that start at whole multiples of their length since the epoch.
   */
  public FixedWindow alignedToEpoch() {
    return new FixedWindow(limit, windowMicros, Start.EPOCH);
  }

  /** Returns the length of a window. */
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
    // The result is made in one place, and needs no object once it is compiled.
    boolean isOver = usage.used() == 0 || nowMicros >= end(usage);
    return used(isOver ? nowMicros : usage.atMicros(), isOver ? 0 : usage.used());
  }

  @Override
  public boolean isCurrent(Usage usage, long nowMicros) {
    return usage.used() == 0
        || ((usage.scale() == windowMicros || usage.scale() < MIN_DURATION_MICROS)
            && usage.before() == mark()
            && !isTooFarAhead(usage, windowMicros, nowMicros));
  }

  @Override
  public boolean decaysLike(Limit other) {
    return other instanceof FixedWindow window
        && window.windowMicros == windowMicros
        && window.start == start;
  }

  @Override
  public FixedWindow countedLike(Usage usage) {
    return usage.used() == 0 || usage.scale() < MIN_DURATION_MICROS
        ? this
        : new FixedWindow(
            limit, usage.scale(), usage.before() == ALIGNED ? Start.EPOCH : Start.FIRST_USE);
  }

  private static boolean isTooFarAhead(Usage usage, long windowMicros, long nowMicros) {
    return usage.atMicros() - nowMicros > Math.max(windowMicros, MAX_AHEAD_MICROS);
  }

  private Usage carriedOver(Usage usage, long nowMicros) {
    // Earlier versions did not store the length.
    long former = usage.scale() < MIN_DURATION_MICROS ? windowMicros : usage.scale();
    boolean isTooFarAhead = isTooFarAhead(usage, Math.min(former, windowMicros), nowMicros);
    long at = isTooFarAhead ? nowMicros : usage.atMicros();
    long formerEnd = former + (usage.before() == ALIGNED ? startOf(at, former) : at);
    if (nowMicros >= formerEnd) {
      return fresh(nowMicros);
    }
    long latest = Math.max(nowMicros, at);
    long earliest =
        switch (start) {
          case FIRST_USE -> Math.min(latest, formerEnd - windowMicros);
          case EPOCH -> startOf(latest, windowMicros);
        };
    return used(Math.max(at, earliest), usage.used());
  }

  @Override
  public long remaining(Usage settled, long nowMicros) {
    return Math.max(0, limit - settled.used());
  }

  @Override
  public Usage take(Usage settled, long cost, long nowMicros) {
    return used(settled.atMicros(), settled.used() + cost);
  }

  @Override
  public long waitMicros(Usage settled, long cost, long nowMicros) {
    return cost <= limit - settled.used() ? 0 : end(settled) - nowMicros;
  }

  @Override
  public Usage giveBack(Usage settled, long cost, long takenAtMicros) {
    // Units taken in an earlier window were restored when it ended.
    return takenAtMicros < settled.atMicros()
        ? settled
        : used(settled.atMicros(), Math.max(0, settled.used() - cost));
  }

  @Override
  public long idleMicros(Usage settled, long nowMicros) {
    return settled.used() == 0 ? 0 : end(settled) - nowMicros;
  }

  @Override
  public FixedWindow share(int nodes) {
    return new FixedWindow(Require.share(limit, nodes), windowMicros, start);
  }

  private Usage fresh(long nowMicros) {
    return used(nowMicros, 0);
  }

  /** Returns a usage of this limit. */
  public Usage used(long atMicros, long used) {
    return new Usage(atMicros, used, used == 0 ? 0 : mark(), windowMicros);
  }

  private long mark() {
    return start == Start.EPOCH ? ALIGNED : 0;
  }

  private long end(Usage usage) {
    long at = usage.atMicros();
    return (start == Start.EPOCH ? startOf(at, windowMicros) : at) + windowMicros;
  }

  private static long startOf(long micros, long windowMicros) {
    return Math.floorDiv(micros, windowMicros) * windowMicros;
  }

  @Override
  public String toString() {
    return limit + " in " + Micros.duration(windowMicros);
  }
}
