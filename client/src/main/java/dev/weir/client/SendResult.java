package dev.weir.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** The result of an attempt to send a message. */
public sealed interface SendResult {
  /** The message is counted and on its way. */
  record Accepted(UUID messageId, long parts) implements SendResult {}

  /** The message is kept, and is sent and counted when the hours of the user begin. */
  record Deferred(Message message) implements SendResult {}

  /** The limit of the user is used up, and nothing was counted. */
  record Limited(Duration retryAfter, Problem problem) implements SendResult {}

  /**
   * The user gets no messages at this time, and nothing was counted.
   *
   * @param opensAt when the hours of the user begin
   */
  record Closed(Optional<Instant> opensAt, Problem problem) implements SendResult {}

  /** The message of this idempotency key has failed since; nothing was sent now. */
  record Failed(Problem problem) implements SendResult {}

  /** No limit is configured for the user. */
  record UnknownUser(Problem problem) implements SendResult {}

  /**
   * There is no answer, or Kafka or the database does not answer. If the outcome is unknown, the
   * message may be sent: send it again with the same idempotency key.
   */
  record Undecided(WeirException failure) implements SendResult {
    /** Returns {@link Outcome#UNKNOWN} if the message may be sent. */
    public Outcome outcome() {
      return failure.outcome();
    }
  }
}
