package dev.weir.workflows.payments;

import java.time.Duration;

/**
 * How often and when a payment is tried again.
 *
 * @param max maximum number of calls
 * @param firstWait the wait after the first call; it doubles with each further one
 * @param maxWait the maximum of these waits; a downstream may ask for more
 */
public record Attempts(int max, Duration firstWait, Duration maxWait) {
  /** Fifty calls in about three quarters of an hour. */
  public static final Attempts DEFAULT =
      new Attempts(50, Duration.ofSeconds(1), Duration.ofMinutes(1));

  private static final int MAX_DOUBLINGS = 20;

  public Attempts {
    if (max < 1) {
      throw new IllegalArgumentException("max must be at least 1, not " + max);
    }
    if (firstWait.isNegative() || maxWait.compareTo(firstWait) < 0) {
      throw new IllegalArgumentException(
          "maxWait %s must not be shorter than firstWait %s".formatted(maxWait, firstWait));
    }
  }

  /** Returns the wait after a number of calls. */
  Duration waitAfter(int calls) {
    Duration wait = firstWait.multipliedBy(1L << Math.min(calls - 1, MAX_DOUBLINGS));
    return wait.compareTo(maxWait) > 0 ? maxWait : wait;
  }
}
