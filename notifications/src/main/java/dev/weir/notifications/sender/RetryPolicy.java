package dev.weir.notifications.sender;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long messages are tried, and the pauses between attempts: each is twice as long as the one
 * before, up to a maximum, and is shortened randomly by up to a half, so that messages that failed
 * together are not repeated together.
 *
 * @param retryFor how long attempts with the messages of a user may fail; then those that fail
 *     again are given up
 * @param maxUnknown max number of hand-overs of a message that get no answer, if it is delivered at
 *     least once
 */
public record RetryPolicy(
    Duration retryFor, int maxUnknown, Duration firstPause, Duration maxPause) {
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(Duration.ofHours(1), 20, Duration.ofMillis(500), Duration.ofMinutes(1));

  public RetryPolicy {
    if (retryFor.isNegative() || maxUnknown < 1) {
      throw new IllegalArgumentException(
          "retryFor must not be negative and maxUnknown at least 1, not %s and %d"
              .formatted(retryFor, maxUnknown));
    }
    if (!firstPause.isPositive() || maxPause.compareTo(firstPause) < 0) {
      throw new IllegalArgumentException(
          "firstPause must be positive and not above maxPause, not %s and %s"
              .formatted(firstPause, maxPause));
    }
  }

  /** Returns the pause after {@code attempts} attempts, at least 1. */
  Duration pause(int attempts, RandomGenerator random) {
    Duration full = firstPause;
    for (int i = 1; i < attempts && full.compareTo(maxPause) < 0; i++) {
      full = full.multipliedBy(2);
    }
    long nanos = (full.compareTo(maxPause) > 0 ? maxPause : full).toNanos();
    return Duration.ofNanos(nanos - random.nextLong(nanos / 2 + 1));
  }
}
