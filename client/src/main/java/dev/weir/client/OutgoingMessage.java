package dev.weir.client;

import java.util.UUID;

/**
 * A message to send.
 *
 * @param isDeferrable true if the message is kept until the user gets messages, instead of refused
 * @param idempotencyKey the id of this message among those of its user: it is sent once, however
 *     often it is requested
 */
public record OutgoingMessage(
    long userId, String text, boolean isDeferrable, String idempotencyKey) {
  public OutgoingMessage {
    Requirements.atLeast(0, "userId", userId);
    Requirements.notBlank("text", text);
    Requirements.printable("idempotencyKey", idempotencyKey);
  }

  /** Returns a message with a new idempotency key. */
  public static OutgoingMessage to(long userId, String text) {
    return new OutgoingMessage(userId, text, false, UUID.randomUUID().toString());
  }

  /** Returns this message as one that is kept if the user gets no messages at this time. */
  public OutgoingMessage deferrable() {
    return new OutgoingMessage(userId, text, true, idempotencyKey);
  }

  /** Returns this message with the caller's own idempotency key. */
  public OutgoingMessage idempotencyKey(String key) {
    return new OutgoingMessage(userId, text, isDeferrable, key);
  }

  /** Returns the message without its text, which may be personal. */
  @Override
  public String toString() {
    return "OutgoingMessage[userId=%d, idempotencyKey=%s]".formatted(userId, idempotencyKey);
  }
}
