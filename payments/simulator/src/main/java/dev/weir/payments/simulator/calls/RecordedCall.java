package dev.weir.payments.simulator.calls;

import java.time.Instant;

/**
 * A call as the downstream saw it.
 *
 * @param at when it arrived
 * @param paymentId the idempotency key; empty if the call had none that could be read
 * @param contentDigest a digest of the payment, by which a repeated call is told from another
 *     payment with the same id; empty if the call could not be read
 * @param attempt the number of calls for this payment so far, from 1; 0 if it had no payment id
 * @param booked whether this call booked the payment
 */
public record RecordedCall(
    Instant at,
    String paymentId,
    String contentDigest,
    int attempt,
    CallResult result,
    boolean booked) {
  /**
   * Checks the call.
   *
   * @throws ArithmeticException if {@code at} is before 1677 or after 2262, so that its nanoseconds
   *     do not fit into a {@code long}
   */
  public RecordedCall {
    nanos(at);
    if (attempt < 0) {
      throw new IllegalArgumentException("attempt must be at least 0, not " + attempt);
    }
  }

  /** Returns the nanoseconds between the epoch and a moment. */
  public static long nanos(Instant at) {
    return Math.addExact(
        Math.multiplyExact(at.getEpochSecond(), SlidingSecond.SECOND_NANOS), at.getNano());
  }

  /** Returns the moment that is this many nanoseconds after the epoch. */
  public static Instant instant(long nanos) {
    return Instant.ofEpochSecond(
        Math.floorDiv(nanos, SlidingSecond.SECOND_NANOS),
        Math.floorMod(nanos, SlidingSecond.SECOND_NANOS));
  }
}
