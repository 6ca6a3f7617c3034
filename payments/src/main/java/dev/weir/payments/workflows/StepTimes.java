package dev.weir.payments.workflows;

import java.time.Duration;

/**
 * How long a worker may be silent before its activity is repeated by another one. Temporal compares
 * none of this with a history, so it may differ between versions.
 *
 * @param attempt maximum time of an attempt to pay, all steps together
 * @param heartbeat maximum time between two heartbeats of the start of a feed
 */
record StepTimes(Duration attempt, Duration heartbeat) {
  /** For the steps before and after the call, while the database is slow. */
  private static final Duration BESIDE_THE_CALL = Duration.ofMinutes(1);

  private static final Duration HEARTBEAT = Duration.ofSeconds(30);

  /**
   * Returns the times for a downstream. A payment whose worker died waits for as long, so they are
   * no longer than an attempt needs.
   */
  static StepTimes of(Downstream downstream) {
    Duration call = downstream.maxCallTime();
    Duration calls = downstream.hasLookUp() ? call.multipliedBy(2) : call;
    return new StepTimes(calls.plus(BESIDE_THE_CALL), HEARTBEAT);
  }
}
