package dev.weir.payments.workflows;

import java.time.Duration;
import java.time.Instant;

/**
 * How long and when a payment is tried again.
 *
 * @param maxTime how long after its first call a payment is given up, and how long one without a
 *     slot waits for one
 * @param firstWait the wait after the first call; it doubles with each further one
 * @param maxWait the maximum of these waits; a downstream may ask for more
 */
public record Attempts(Duration maxTime, Duration firstWait, Duration maxWait) {
  private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
  private static final Duration MAX_WAIT = Duration.ofMinutes(1);
  private static final int MAX_DOUBLINGS = 20;

  public Attempts {
    if (maxTime.isNegative() || maxTime.isZero()) {
      throw new IllegalArgumentException("maxTime must be above 0, not " + maxTime);
    }
    if (firstWait.isNegative() || maxWait.compareTo(firstWait) < 0) {
      throw new IllegalArgumentException(
          "maxWait %s must not be shorter than firstWait %s".formatted(maxWait, firstWait));
    }
  }

  /** Returns attempts with the usual waits: from a second to a minute. */
  public static Attempts within(Duration maxTime) {
    return new Attempts(maxTime, FIRST_WAIT, MAX_WAIT);
  }

  /** Returns the time from which on a payment is not called any more. */
  Instant deadline(Instant firstCall) {
    return firstCall.plus(maxTime);
  }

  /**
   * Returns the wait after a look-up that is not certain: as long as its call is ago, so that it
   * doubles with each further one.
   */
  Duration waitSince(Duration ago) {
    Duration wait = ago.compareTo(firstWait) < 0 ? firstWait : ago;
    return wait.compareTo(maxWait) > 0 ? maxWait : wait;
  }

  /** Returns the wait after a number of calls; after none, that after the first one. */
  Duration waitAfter(int calls) {
    Duration wait = firstWait.multipliedBy(1L << Math.clamp(calls - 1L, 0, MAX_DOUBLINGS));
    return wait.compareTo(maxWait) > 0 ? maxWait : wait;
  }
}
