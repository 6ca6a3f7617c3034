package dev.weir.client;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * What became of a message.
 *
 * @param parts the short messages that it is divided into
 * @param changedAt when the state was reached
 * @param dueAt when a deferred message is sent
 * @param reason why it failed or is unknown
 */
public record Message(
    UUID id,
    long userId,
    State state,
    long parts,
    Instant createdAt,
    Instant changedAt,
    Optional<Instant> dueAt,
    Optional<String> reason) {

  /** The state of a message. */
  public enum State {
    /** Kept until the user gets messages. */
    DEFERRED,
    /** Counted, and on its way. */
    ACCEPTED,
    /** Handed to the provider, which has not answered; it may have been sent. */
    UNKNOWN,
    /** Taken by the provider. */
    SENT,
    /** The provider reported that it reached the recipient. */
    DELIVERED,
    /** It did not reach the recipient. */
    FAILED,
    /** Cancelled before it was sent. */
    CANCELLED
  }

  static Message read(JsonObject json) throws IOException {
    return new Message(
        id(json),
        json.requiredNumber("userId"),
        json.requiredConstant("state", State.values()),
        json.requiredNumber("parts"),
        json.requiredTime("createdAt"),
        json.requiredTime("changedAt"),
        json.time("dueAt"),
        json.text("reason"));
  }

  static UUID id(JsonObject json) throws IOException {
    String text = json.requiredText("messageId");
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException notId) {
      throw new IOException("'messageId' is '" + text + "'", notId);
    }
  }
}
