package dev.weir.payments.workflows;

import dev.weir.payments.FeedStatus;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import java.time.Duration;

/**
 * Is notified of what happens to payments, and measures it. Implementations are thread-safe, quick,
 * and do not throw.
 */
@FunctionalInterface
public interface PaymentObserver {
  /** Observes nothing. */
  PaymentObserver NONE = (metric, label, amount) -> {};

  /**
   * Adds to a metric.
   *
   * @param label the value of its label; empty if it has none
   * @param amount what a counter rises by, or a duration in seconds
   */
  void measured(PaymentMetric metric, String label, double amount);

  private void counted(PaymentMetric metric, String label, long number) {
    measured(metric, label, (double) number);
  }

  /** Called when a feed was received, now or earlier. */
  default void feedReceived(FeedReceiver.Received received) {
    if (!received.isNew()) {
      measured(PaymentMetric.FEEDS, "known", 1);
      return;
    }
    FeedStatus feed = received.feed();
    measured(PaymentMetric.FEEDS, "received", 1);
    counted(PaymentMetric.RECORDS, "accepted", feed.read() - feed.rejected() - feed.repeated());
    counted(PaymentMetric.RECORDS, "rejected", feed.rejected());
    counted(PaymentMetric.RECORDS, "repeated", feed.repeated());
  }

  /** Called when a feed broke off or could not be used. */
  default void feedFailed() {
    measured(PaymentMetric.FEEDS, "failed", 1);
  }

  /** Called when payments of a feed were handed to Temporal. */
  default void started(int payments) {
    measured(PaymentMetric.STARTED, "", payments);
  }

  /** Called when a payment finds the ceiling reached and waits. */
  default void waits() {
    measured(PaymentMetric.CEILING_WAITS, "", 1);
  }

  /** Called after each call of the downstream. */
  default void called(PaymentCall.Result result, Duration time) {
    double seconds = (double) Math.max(0, time.toNanos()) / 1e9;
    measured(PaymentMetric.CALLS, PaymentMetric.value(result), seconds);
  }

  /** Called when payments were cancelled with their feeds. */
  default void cancelled(long payments) {
    counted(PaymentMetric.ENDED, PaymentMetric.value(PaymentState.CANCELLED), payments);
  }

  /** Called when the end of a payment is recorded; after a crash perhaps once more. */
  default void ended(PaymentState state) {
    measured(PaymentMetric.ENDED, PaymentMetric.value(state), 1);
  }

  /** Called when payments without a running workflow were started again. */
  default void restarted(long payments) {
    counted(PaymentMetric.RESTARTED, "", payments);
  }
}
