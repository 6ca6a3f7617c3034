package dev.weir.notifications.messages;

import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import java.util.UUID;

/**
 * What became of a request to send, from the decision of the database to the answer. Each step has
 * the type of what it may return.
 */
public sealed interface SendResult {
  /** What {@link SendLedger#place} returns. */
  sealed interface Placing extends SendResult {}

  /** The decision about a request of a user that nobody else has locked. */
  sealed interface Placed extends Placing {}

  /** What {@link DeferredMessages#defer} returns. */
  sealed interface Deferring extends SendResult {}

  /** The decision about a message to be deferred, of a user that nobody else has locked. */
  sealed interface Kept extends Deferring {}

  /** The decision of a user's limit and hours about a new message. */
  sealed interface Counted extends Placed {}

  /** What is known of the message of an earlier request. */
  sealed interface Known extends Placed, Kept {}

  /** The answer to the caller. */
  sealed interface Answer extends SendResult {}

  /** A place was taken, and the message is in the outbox until {@link SendLedger#published}. */
  record Accepted(Message message, UserState state, Decision.Allowed decision) implements Counted {}

  /**
   * The broker has the message.
   *
   * @param isRepeated true if an earlier request with the same idempotency key sent it
   */
  record Sent(Message message, UserState state, boolean isRepeated) implements Answer {}

  /**
   * The idempotency key or message id belongs to an earlier request with the same content. Nothing
   * was taken.
   *
   * @param message the earlier message
   * @param isPublished false if the message is still in the outbox. From now on it cannot be
   *     withdrawn, because the caller may publish it
   */
  record Repeated(Message message, boolean isPublished, UserState state) implements Known {}

  /**
   * The message waits for the hours of its user and was not counted. {@link SendLedger#place}
   * returns this only for a known idempotency key.
   *
   * @param record its state is {@link MessageState#DEFERRED}, or {@link MessageState#CANCELLED} if
   *     the message was cancelled since
   */
  record Deferred(MessageRecord record, UserState state) implements Known, Answer {}

  /**
   * The idempotency key or message id belongs to an earlier request whose message has failed.
   * Nothing was taken or sent.
   *
   * @param record its state is {@link MessageState#FAILED}
   */
  record Failed(MessageRecord record, UserState state) implements Known, Answer {}

  /** The idempotency key or message id belongs to an earlier request with other content. */
  record KeyReused() implements Known, Answer {}

  /**
   * Another transaction holds the user's row; nothing was taken. The request can be repeated; those
   * of other users did not wait for it.
   */
  record Busy(long userId) implements Placing, Deferring {}

  /**
   * The user's hours have not begun, and the user has the maximum number of deferred messages.
   *
   * @param opensAtMicros when the message would be due
   * @param max that number
   */
  record TooManyDeferred(UserState state, long opensAtMicros, int max) implements Kept, Answer {}

  /** The limit is used up. */
  record Limited(UserState state, Decision.Refused decision) implements Counted, Answer {}

  /**
   * The limit is used up, and the request was refused without the database.
   *
   * @param limit the limit of the user
   */
  record LimitedEarly(Limit limit, Decision.Refused decision) implements Answer {}

  /** The message costs more than the limit ever allows. */
  record TooExpensive(UserState state, long cost) implements Counted, Answer {}

  /**
   * The user's hours have not begun; nothing was taken.
   *
   * @param opensAtMicros the beginning of the next hours
   */
  record Closed(UserState state, long opensAtMicros) implements Counted, Answer {}

  /** No limit is configured for the user. */
  record UnknownUser(long userId) implements Placed, Kept, Answer {}

  /**
   * The broker did not take the message. Nothing was counted, and nothing will be sent.
   *
   * @param isStarting true if the broker is being started, and is expected soon
   */
  record BrokerRefused(String reason, boolean isStarting) implements Answer {}

  /**
   * The broker may have the message. It is counted and will be published, again if necessary; a
   * request with the same idempotency key returns what became of it.
   */
  record BrokerUnknown(UUID messageId, String reason) implements Answer {}
}
