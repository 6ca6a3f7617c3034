package dev.weir.payments;

import java.time.Instant;

/**
 * A question for payments in one state: those that ended in the order of their ends, and those that
 * are open in the order of feeds and lines.
 *
 * @param scope the feeds that they belong to
 * @param state not {@link PaymentState#REJECTED}: a rejected record is no payment
 * @param from only payments that ended at this time or later; for open ones the requested time, or
 *     that of the feed's arrival if it is now
 * @param before only payments whose time is earlier
 * @param after the last payment of the page before
 * @param max max number of payments
 */
public record PaymentQuery(
    FeedScope scope, PaymentState state, Instant from, Instant before, Cursor after, int max) {
  public static final int MAX_PAGE = 1_000;

  public PaymentQuery {
    if (state == PaymentState.REJECTED) {
      throw new IllegalArgumentException("state must not be REJECTED");
    }
    if (max < 1 || max > MAX_PAGE) {
      throw new IllegalArgumentException(
          "max must be from 1 to %d, not %d".formatted(MAX_PAGE, max));
    }
  }

  /**
   * A place in the order of payments.
   *
   * @param first the time of the end in microseconds, or the number of the feed
   * @param second the payment id, or the line
   */
  public record Cursor(long first, String second) {
    public static final Cursor START = new Cursor(Long.MIN_VALUE, "");
  }

  /** A payment and its place. */
  public record Found(PaymentStatus payment, Cursor cursor) {}
}
