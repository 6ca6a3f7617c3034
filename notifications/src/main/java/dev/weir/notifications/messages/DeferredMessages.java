package dev.weir.notifications.messages;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Messages that wait for the hours of their users. They are counted when they are due, not when
 * they are deferred.
 *
 * <p>Every method is one atomic step and throws {@link dev.weir.StoreException} if the store fails.
 * Thread-safe; any number of nodes may use one database.
 */
public interface DeferredMessages {
  /** Maximum number of deferred messages of a user, unless a store is told otherwise. */
  int DEFAULT_MAX_PER_USER = 1_000;

  /** Of one user, {@link #due} returns up to this many messages at a time. */
  int MAX_DUE_OF_USER = 50;

  /**
   * Keeps a message until it is due. A repeated request with its idempotency key keeps one.
   *
   * @return {@link SendResult.Deferred}; {@link SendResult.Repeated} or {@link SendResult.Failed}
   *     if the message was counted before; {@link SendResult.TooManyDeferred}, {@link
   *     SendResult.Busy}, {@link SendResult.KeyReused} or {@link SendResult.UnknownUser}
   */
  SendResult.Deferring defer(SendRequest request, Instant dueAt);

  /**
   * Returns up to {@code max} deferred messages that are due, oldest first, of each user up to
   * {@link #MAX_DUE_OF_USER}. Messages of users without a place are left out until there may be
   * one.
   */
  List<MessageRecord> due(int max);

  /**
   * Counts due messages, in order, and moves them to the outbox, as {@link SendLedger#place} does.
   * If a user has no place left, or is closed again, its messages stay deferred, and none of them
   * is due until there may be one; what is written does not depend on how many wait. A message that
   * costs more than the limit of its user ever allows has {@linkplain MessageState#FAILED failed},
   * and its idempotency key is free again. Messages that are not deferred or not due are ignored,
   * so several nodes may release the same ones.
   *
   * @return those that were moved to the outbox
   */
  List<SendResult.Accepted> release(List<UUID> messages);

  /** Cancels a deferred message. */
  Cancelled cancel(UUID message);

  /** The result of a cancellation. */
  enum Cancelled {
    /** It is cancelled, now or by an earlier call. */
    DONE,
    /** It is no longer deferred. */
    TOO_LATE,
    UNKNOWN
  }
}
