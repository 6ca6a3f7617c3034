package dev.weir.core.limits;

import dev.weir.core.internal.Micros;
import java.time.Duration;

/**
 * Up to {@code limit} units per window of time; the count restarts when a window ends.
 *
 * <p>In a {@link Usage}, {@code atMicros} is the start of the window, {@code used} the count and
 * {@code scale} the length of the window. When the length changes, a window that is still open
 * keeps its count: if windows get longer, it gets longer too; if they get shorter, it ends at its
 * former end or one new window from now, whichever is earlier. A window that is aligned to the
 * epoch is replaced by the present one of the new length.
 *
 * @param start where windows start
 */
public record FixedWindow(long limit, long windowMicros, Start start) implements Limit {
  /** The maximum value of {@code limit}. */
  public static final long MAX_LIMIT = 1_000_000_000_000L;

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

  @Override
  public long maxCost() {
    return limit;
  }

  @Override
  public Usage settle(Usage usage, long nowMicros) {
    if (!isCurrent(usage, nowMicros)) {
      return carriedOver(usage, nowMicros);
    }
    return usage.used() == 0 || nowMicros >= end(usage) ? fresh(nowMicros) : usage;
  }

  @Override
  public boolean isCurrent(Usage usage, long nowMicros) {
    return usage.used() == 0
        || ((usage.scale() == windowMicros || usage.scale() < MIN_DURATION_MICROS)
            && !isTooFarAhead(usage, windowMicros, nowMicros));
  }

  @Override
  public boolean decaysLike(Limit other) {
    return other instanceof FixedWindow window
        && window.windowMicros == windowMicros
        && window.start == start;
  }

  private static boolean isTooFarAhead(Usage usage, long windowMicros, long nowMicros) {
    return usage.atMicros() - nowMicros > Math.max(windowMicros, MAX_AHEAD_MICROS);
  }

  private Usage carriedOver(Usage usage, long nowMicros) {
    // Earlier versions did not store the length.
    long former = usage.scale() < MIN_DURATION_MICROS ? windowMicros : usage.scale();
    boolean isTooFarAhead = isTooFarAhead(usage, Math.min(former, windowMicros), nowMicros);
    long at = isTooFarAhead ? nowMicros : usage.atMicros();
    if (nowMicros >= at + former) {
      return fresh(nowMicros);
    }
    long latest = Math.max(nowMicros, at);
    long startMicros =
        switch (start) {
          case FIRST_USE -> Math.min(latest, at + Math.max(0, former - windowMicros));
          case EPOCH -> startOf(latest);
        };
    return new Usage(startMicros, usage.used(), 0, windowMicros);
  }

  @Override
  public long remaining(Usage settled, long nowMicros) {
    return Math.max(0, limit - settled.used());
  }

  @Override
  public Usage take(Usage settled, long cost, long nowMicros) {
    return new Usage(settled.atMicros(), settled.used() + cost, 0, windowMicros);
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
        : new Usage(settled.atMicros(), Math.max(0, settled.used() - cost), 0, windowMicros);
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
    return new Usage(startOf(nowMicros), 0, 0, windowMicros);
  }

  private long end(Usage usage) {
    return usage.atMicros() + windowMicros;
  }

  private long startOf(long micros) {
    return switch (start) {
      case FIRST_USE -> micros;
      case EPOCH -> Math.floorDiv(micros, windowMicros) * windowMicros;
    };
  }

  @Override
  public String toString() {
    return limit + " in " + Micros.duration(windowMicros);
  }
}
