package dev.weir.core.limits;

import dev.weir.core.Micros;
import java.time.Duration;

/**
 * So many in a window of time, which starts anew when it is over.
 *
 * <p>A usage's {@code atMicros} is the start of its window, {@code used} the count.
 *
 * @param start where windows start
 */
public record FixedWindow(long limit, long windowMicros, Start start) implements Limit {
  /** The largest limit of a window. */
  public static final long MOST = 1_000_000_000_000L;

  private static final long SCALE = 1;

  /** Where windows start. */
  public enum Start {
    /** At the first use after the window before was over. */
    FIRST_USE,
    /** At whole multiples of the window since the epoch, for all keys together. */
    EPOCH
  }

  public FixedWindow {
    Require.between("limit", limit, 1, MOST);
    Require.window(windowMicros);
  }

  public static FixedWindow of(long limit, Duration window) {
    return new FixedWindow(limit, Require.micros("window", window), Start.FIRST_USE);
  }

  public FixedWindow alignedToEpoch() {
    return new FixedWindow(limit, windowMicros, Start.EPOCH);
  }

  @Override
  public long most() {
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
    // What was taken in an earlier window is back already.
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
