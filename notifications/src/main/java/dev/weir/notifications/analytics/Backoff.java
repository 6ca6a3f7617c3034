package dev.weir.notifications.analytics;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Pauses between attempts: each is twice as long as the one before, up to a maximum, and is
 * shortened randomly by up to a half, so that several nodes do not try together.
 */
final class Backoff {
  private final Duration first;
  private final Duration max;
  private final RandomGenerator random;
  private Duration next;

  Backoff(Duration first, Duration max, RandomGenerator random) {
    this.first = first;
    this.max = max;
    this.random = random;
    this.next = first;
  }

  /** Returns the pause before the next attempt. */
  Duration pause() {
    long nanos = next.toNanos();
    Duration doubled = next.multipliedBy(2);
    next = doubled.compareTo(max) > 0 ? max : doubled;
    return Duration.ofNanos(nanos - random.nextLong(nanos / 2 + 1));
  }

  /** Begins with the first pause again. */
  void reset() {
    next = first;
  }
}
