package dev.weir.notifications.messages;

import java.time.Instant;
import java.util.Optional;

/**
 * What is known about a message.
 *
 * @param changedAt when the state was reached
 * @param dueAt when a deferred message is to be sent
 * @param reason why it failed
 */
public record MessageRecord(
    Message message,
    MessageState state,
    Instant createdAt,
    Instant changedAt,
    Optional<Instant> dueAt,
    Optional<String> reason) {
  /** Returns what is known, without the text. */
  public MessageStatus status() {
    return new MessageStatus(
        message.id(),
        message.userId(),
        message.parts(),
        state,
        createdAt,
        changedAt,
        dueAt,
        reason);
  }
}
