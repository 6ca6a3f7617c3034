package dev.weir.payments;

/** One record of a feed. */
public sealed interface FeedRecord {
  /** Returns the number of its first line, from 1. */
  long line();

  /** A payment that can be made. */
  record Accepted(long line, Payment payment) implements FeedRecord {}

  /**
   * A record that cannot be paid.
   *
   * @param reason names every field that is wrong
   * @param paymentId its payment id; empty if it has none that can be read
   * @param record the record as it is in the feed, cut if it is long; or {@link Payment#toRecord}
   */
  record Rejected(long line, String reason, String paymentId, String record)
      implements FeedRecord {}
}
