package dev.weir.store.jdbc.slots.internal;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An estimate of the database's clock, based on its last reading. Thread-safe.
 *
 * <p>The whole round trip is counted as time since the reading, so the estimate is never before the
 * database's own time unless that clock is set. The database compares the two before it accepts an
 * estimate.
 */
final class EstimatedClock {
  private volatile @Nullable Reading last;
  private final AtomicLong latest = new AtomicLong(Long.MIN_VALUE);

  /** How exact the estimate has to be. */
  enum Precision {
    /** The time decides which windows events get. */
    FOR_PLANNING(1_000_000_000L, 50_000L),
    /** The time is only recorded with the decision. */
    FOR_RECORD(60_000_000_000L, 10_000_000L);

    /** Max age of the last reading. */
    private final long maxAgeNanos;

    /** How far the database's time may be from the estimate when it writes. */
    private final long toleranceMicros;

    Precision(long maxAgeNanos, long toleranceMicros) {
      this.maxAgeNanos = maxAgeNanos;
      this.toleranceMicros = toleranceMicros;
    }

    long toleranceMicros() {
      return toleranceMicros;
    }
  }

  private record Reading(long databaseMicros, long sentNanos) {}

  /**
   * Records a reading of the database's clock.
   *
   * @param sentNanos {@link System#nanoTime()} when the statement was sent
   */
  void observe(long sentNanos, long databaseMicros) {
    last = new Reading(databaseMicros, sentNanos);
  }

  /**
   * Returns the estimated database time at a value of {@link System#nanoTime()}; empty if the last
   * reading is too old.
   */
  OptionalLong databaseMicros(long nanos, Precision precision) {
    Reading reading = last;
    if (reading == null || nanos - reading.sentNanos > precision.maxAgeNanos) {
      return OptionalLong.empty();
    }
    // Rounded up, so that the estimate is not before the database's time.
    return OptionalLong.of(
        steady(reading.databaseMicros + (nanos - reading.sentNanos) / 1_000 + 1));
  }

  /**
   * Returns a time to plan by that does not go back by less than the precision of the estimate: of
   * two events that request the current time, the later one must not get the earlier window.
   */
  long steady(long databaseMicros) {
    return latest.updateAndGet(
        before ->
            before > databaseMicros
                    && before - databaseMicros <= Precision.FOR_PLANNING.toleranceMicros
                ? before
                : databaseMicros);
  }
}
