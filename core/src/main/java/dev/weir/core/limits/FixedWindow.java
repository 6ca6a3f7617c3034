package dev.weir.core.limits;

import dev.weir.core.internal.Micros;
import java.time.Duration;

/**
 * Up to {@code limit} units per window of time; the count restarts when a window ends.
 *
 * <p>In a {@link Usage}, {@code atMicros} is the start of the window and {@code used} the count.
 *
 * @param start where windows start
 */
public record FixedWindow(long limit, long windowMicros, Start start) implements Limit {
  /** The maximum value of {@code limit}. */
  public static final long MAX_LIMIT = 1_000_000_000_000L;

  private static final long SCALE = 1;

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
    return usage.used() == 0 || nowMicros >= end(usage) ? fresh(nowMicros) : usage;
  }

  @Override
  public long remaining(Usage settled, long nowMicros) {
    return Math.max(0, limit - settled.used());
  }

  @Override
  public Usage take(Usage settled, long cost, long nowMicros) {
    return new Usage(settled.atMicros(), settled.used() + cost, 0, SCALE);
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
        : new Usage(settled.atMicros(), Math.max(0, settled.used() - cost), 0, SCALE);
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
    return new Usage(startOf(nowMicros), 0, 0, SCALE);
  }

  private long end(Usage usage) {
    return startOf(usage.atMicros()) + windowMicros;
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
