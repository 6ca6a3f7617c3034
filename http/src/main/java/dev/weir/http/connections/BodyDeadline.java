package dev.weir.http.connections;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The deadline of a body that has to arrive at a minimum rate: every byte moves it by the time that
 * the byte may take, up to the max time without progress. There is no max time for the whole body.
 * Confined to one thread.
 */
public final class BodyDeadline {
  private final long graceNanos;
  private final long idleNanos;
  private final int minRate;
  private long deadlineNanos;

  /**
   * Creates a deadline that has not begun.
   *
   * @param grace the time until the first bytes, before the rate counts
   * @param idle max time without progress
   * @param minRate min bytes per second; 0 allows any rate
   */
  public BodyDeadline(Duration grace, Duration idle, int minRate) {
    this.graceNanos = minRate == 0 ? idle.toNanos() : Math.min(grace.toNanos(), idle.toNanos());
    this.idleNanos = idle.toNanos();
    this.minRate = minRate;
  }

  public void begin(long nowNanos) {
    deadlineNanos = nowNanos + graceNanos;
  }

  public void arrived(long bytes, long nowNanos) {
    long latest = nowNanos + idleNanos;
    if (minRate == 0) {
      deadlineNanos = latest;
      return;
    }
    // Seconds are enough for the comparison with the idle time, and nothing overflows.
    long boughtNanos =
        bytes / minRate > TimeUnit.NANOSECONDS.toSeconds(idleNanos)
            ? idleNanos
            : bytes * TimeUnit.SECONDS.toNanos(1) / minRate;
    long moved = deadlineNanos + boughtNanos;
    deadlineNanos = moved - latest < 0 ? moved : latest;
  }

  /** Moves the deadline by a time in which the body was not read. */
  public void extend(long nanos) {
    deadlineNanos += nanos;
  }

  public long nanos() {
    return deadlineNanos;
  }
}
