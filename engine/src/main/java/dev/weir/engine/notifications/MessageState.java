package dev.weir.engine.notifications;

/** The life of a message. */
public enum MessageState {
  /** Waits for the user's hours. */
  DEFERRED,
  /** Counted, and published or in the outbox. */
  ACCEPTED,
  /** Taken by the provider. */
  SENT,
  /** The provider reported that it reached the recipient. */
  DELIVERED,
  /** Could not be delivered; the reason is known. */
  FAILED,
  /** Cancelled while it was deferred. */
  CANCELLED;

  /** Returns true if the sender must not hand the message to a provider again. */
  public boolean isFinished() {
    return this == SENT || this == DELIVERED || this == FAILED || this == CANCELLED;
  }
}
