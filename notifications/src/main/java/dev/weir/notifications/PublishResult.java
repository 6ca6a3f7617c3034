package dev.weir.notifications;

/** What became of a message that was handed to the broker. */
public sealed interface PublishResult {
  /** The broker has it, on all replicas that are in sync. */
  record Done() implements PublishResult {
    static final Done DONE = new Done();
  }

  /** The broker certainly does not have it, because it could not be reached. */
  record Refused(String reason) implements PublishResult {}

  /** The broker does not have it and will never take it, because of the message itself. */
  record Rejected(String reason) implements PublishResult {}

  /** The broker may have it: it was sent, and the answer is missing. */
  record Unknown(String reason) implements PublishResult {}
}
