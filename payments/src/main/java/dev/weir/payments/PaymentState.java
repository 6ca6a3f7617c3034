package dev.weir.payments;

/** The state of a payment. */
public enum PaymentState {
  /** Its record was wrong, or there was no slot for it. It is never made. */
  REJECTED,
  /** Accepted; the downstream has not been called. That waits until the feed is complete, too. */
  SCHEDULED,
  /** Its time has come; the downstream may have been called. */
  RUNNING,
  /** The downstream has made it. */
  PAID,
  /** The downstream refused it for good, or gave no usable answer to any attempt. */
  FAILED,
  /** Cancelled before it ran. */
  CANCELLED;

  /** Returns true if the payment is still to be made. */
  public boolean isOpen() {
    return this == SCHEDULED || this == RUNNING;
  }
}
