package dev.weir.payments.workflows;

import dev.weir.payments.Payment;
import java.time.Duration;
import java.time.Instant;

/**
 * Decides when a payment may be called, whatever slot it was assigned: slots are assigned hours
 * before, and a payment may be late or be called several times. Thread-safe.
 */
public interface CallGate {
  /** Lets every call pass. */
  CallGate OPEN = (payment, now, isLate) -> Open.UNCOUNTED;

  /**
   * Asks whether a payment may be called now.
   *
   * @param now the time of the payment store
   * @param isLate whether the call is not the one that the slot of the payment is for: it is late,
   *     or not the first one
   * @throws dev.weir.StoreException if that cannot be decided
   */
  Passage enter(Payment payment, Instant now, boolean isLate);

  /** The result of {@link #enter}. */
  sealed interface Passage {}

  /** The payment may be called once. */
  non-sealed interface Open extends Passage {
    /** Permission for a call that is not counted. */
    Open UNCOUNTED =
        new Open() {
          @Override
          public void called(Duration ago) {}

          @Override
          public void notCalled() {}
        };

    /**
     * Reports that it was called.
     *
     * @param ago the time since the call was sent
     */
    void called(Duration ago);

    /** Reports that it was not called. */
    void notCalled();
  }

  /** The payment must not be called before the wait is over and this was asked again. */
  record Closed(Duration duration) implements Passage {}
}
