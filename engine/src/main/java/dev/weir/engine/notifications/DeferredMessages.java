package dev.weir.engine.notifications;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Messages that wait for the hours of their users. They are counted when they are due, not when
 * they are deferred.
 *
 * <p>Every method is one atomic step and throws {@link dev.weir.engine.StoreException} if the store
 * fails. Thread-safe; any number of nodes may use one database.
 */
public interface DeferredMessages {
  /**
   * Keeps a message until it is due. A repeated request with its idempotency key keeps one.
   *
   * @return {@link SendResult.Deferred}; {@link SendResult.Repeated} if the message was counted
   *     before; {@link SendResult.KeyReused} or {@link SendResult.UnknownUser}
   */
  SendResult defer(SendRequest request, Instant dueAt);

  /** Returns up to {@code max} deferred messages that are due, oldest first. */
  List<MessageRecord> due(int max);

  /**
   * Counts due messages, in order, and moves them to the outbox, as {@link SendLedger#place} does.
   * A message whose user has no place left, or is closed again, stays deferred until there may be
   * one. A message that costs more than the limit of its user ever allows has {@linkplain
   * MessageState#FAILED failed}, and its idempotency key is free again. Messages that are not
   * deferred or not due are ignored, so several nodes may release the same ones.
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
