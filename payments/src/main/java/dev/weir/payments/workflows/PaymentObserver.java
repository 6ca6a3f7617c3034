package dev.weir.payments.workflows;

import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import java.time.Duration;

/** Is notified of what happens to payments, for metrics. Implementations are thread-safe. */
public interface PaymentObserver {
  /** Observes nothing. */
  PaymentObserver NONE = new PaymentObserver() {};

  /** Called when payments of a feed were handed to Temporal. */
  default void started(int payments) {}

  /** Called when a payment finds the ceiling reached and waits. */
  default void waits() {}

  /** Called after each call of the downstream. */
  default void called(PaymentCall.Result result, Duration time) {}

  /** Called when the end of a payment is recorded; after a crash perhaps once more. */
  default void ended(PaymentState state) {}

  /** Called when payments without a running workflow were started again. */
  default void restarted(long payments) {}
}
