package dev.weir.notifications;

import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.UserState;
import java.util.UUID;

/** The answer to a request to send a message. */
public sealed interface SendOutcome {
  /**
   * The broker has the message.
   *
   * @param isRepeated true if an earlier request with the same idempotency key sent it
   */
  record Sent(Message message, UserState state, boolean isRepeated) implements SendOutcome {}

  /** The message waits for the hours of its user. */
  record Deferred(MessageRecord record, UserState state) implements SendOutcome {}

  /**
   * An earlier request with the same idempotency key had sent the message, and it has failed since.
   * Nothing was sent.
   */
  record Failed(MessageRecord record, UserState state) implements SendOutcome {}

  /**
   * The user's hours have not begun, and the user has the maximum number of deferred messages.
   *
   * @param max that number
   */
  record TooManyDeferred(UserState state, long opensAtMicros, int max) implements SendOutcome {}

  /**
   * The limit is used up.
   *
   * @param limit the limit of the user
   * @param isEarly true if the request was refused without the database
   */
  record Limited(Decision.Refused decision, Limit limit, boolean isEarly) implements SendOutcome {}

  /** No limit is configured for the user. */
  record UnknownUser(long userId) implements SendOutcome {}

  /** The idempotency key belongs to an earlier request with other content. */
  record KeyReused() implements SendOutcome {}

  /** The message costs more than the limit ever allows. */
  record TooExpensive(UserState state, long cost) implements SendOutcome {}

  /** The user's hours have not begun. */
  record Closed(UserState state, long opensAtMicros) implements SendOutcome {}

  /**
   * The broker did not take the message. Nothing was counted, and nothing will be sent.
   *
   * @param isStarting true if the broker is being started, and is expected soon
   */
  record BrokerRefused(String reason, boolean isStarting) implements SendOutcome {}

  /**
   * The broker may have the message. It is counted and will be published, again if necessary; a
   * request with the same idempotency key returns what became of it.
   */
  record BrokerUnknown(UUID messageId, String reason) implements SendOutcome {}
}
