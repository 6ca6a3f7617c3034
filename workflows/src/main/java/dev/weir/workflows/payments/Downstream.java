package dev.weir.workflows.payments;

import dev.weir.engine.payments.Payment;
import java.time.Duration;

/**
 * The system that makes payments. Calls with the same payment id make the payment once.
 * Implementations are thread-safe and block the calling thread for up to {@link #maxCallTime}.
 */
public interface Downstream extends AutoCloseable {
  /** Asks for a payment to be made. Returns every outcome as a value. */
  Answer pay(Payment payment);

  /** Returns the time after which a call has been given up by its caller. */
  Duration maxCallTime();

  @Override
  void close();

  /** The outcome of a call. */
  sealed interface Answer {
    /**
     * The payment is made, by this call or by an earlier one.
     *
     * @param reference the downstream's own id of the payment; may be empty
     */
    record Paid(String reference) implements Answer {}

    /** Refused for good: calling again would not help. */
    record Rejected(String reason) implements Answer {}

    /**
     * Not made; it may be tried again.
     *
     * @param after the wait that the downstream asks for; zero if it names none
     * @param isTooMany whether it got more calls than it allows
     */
    record Retry(Duration after, String reason, boolean isTooMany) implements Answer {
      /** Creates the outcome of a call that was not one too many. */
      public Retry(Duration after, String reason) {
        this(after, reason, false);
      }
    }

    /**
     * No usable answer: the payment may have been made.
     *
     * @param mayArriveLater false if the call is certain to have arrived, or to be lost
     */
    record Unknown(String reason, boolean mayArriveLater) implements Answer {}
  }
}
