package dev.weir.notifications.messages;

/** The life of a message. */
public enum MessageState {
  /** Waits for the user's hours. */
  DEFERRED,
  /** Counted, and published or in the outbox. */
  ACCEPTED,
  /**
   * Handed to the provider, which has not answered: it may have been sent. Recorded before each
   * hand-over, so that it is also what a crash leaves behind.
   */
  UNKNOWN,
  /** Taken by the provider. */
  SENT,
  /** The provider reported that it reached the recipient. */
  DELIVERED,
  /** Could not be delivered; the reason is known. */
  FAILED,
  /** Cancelled while it was deferred. */
  CANCELLED;

  /**
   * Returns true if the sender must not hand the message to a provider again. That of {@link
   * #UNKNOWN} depends on the {@link DeliveryGuarantee}.
   */
  public boolean isFinished() {
    return this == SENT || this == DELIVERED || this == FAILED || this == CANCELLED;
  }
}
