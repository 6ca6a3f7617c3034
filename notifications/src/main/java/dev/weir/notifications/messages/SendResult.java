package dev.weir.notifications.messages;

import dev.weir.limits.Decision;

/** What the database decided about a request to send. */
public sealed interface SendResult {
  /** A place was taken, and the message is in the outbox until {@link SendLedger#published}. */
  record Accepted(Message message, UserState state, Decision.Allowed decision)
      implements SendResult {}

  /**
   * The idempotency key or message id belongs to an earlier request with the same content. Nothing
   * was taken.
   *
   * @param message the earlier message
   * @param isPublished false if the message is still in the outbox. From now on it cannot be
   *     withdrawn, because the caller may publish it
   */
  record Repeated(Message message, boolean isPublished, UserState state) implements SendResult {}

  /**
   * The message waits for the hours of its user and was not counted. {@link SendLedger#place}
   * returns this only for a known idempotency key.
   *
   * @param record its state is {@link MessageState#DEFERRED}, or {@link MessageState#CANCELLED} if
   *     the message was cancelled since
   */
  record Deferred(MessageRecord record, UserState state) implements SendResult {}

  /**
   * The idempotency key or message id belongs to an earlier request whose message has failed.
   * Nothing was taken.
   *
   * @param record its state is {@link MessageState#FAILED}
   */
  record Failed(MessageRecord record, UserState state) implements SendResult {}

  /**
   * Another transaction holds the user's row; nothing was taken. The request can be repeated; those
   * of other users did not wait for it.
   */
  record Busy(long userId) implements SendResult {}

  /**
   * The user has the maximum number of deferred messages. {@link DeferredMessages#defer} returns
   * this only.
   */
  record TooManyDeferred(UserState state, int max) implements SendResult {}

  /** The idempotency key or message id belongs to an earlier request with other content. */
  record KeyReused() implements SendResult {}

  /** The limit is used up. */
  record Limited(UserState state, Decision.Refused decision) implements SendResult {}

  /** The message costs more than the limit ever allows. */
  record TooExpensive(UserState state, long cost) implements SendResult {}

  /**
   * The user's hours have not begun; nothing was taken.
   *
   * @param opensAtMicros the beginning of the next hours
   */
  record Closed(UserState state, long opensAtMicros) implements SendResult {}

  /** No limit is configured for the user. */
  record UnknownUser(long userId) implements SendResult {}
}
