package dev.weir.engine.notifications;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Messages that wait for the hours of their users. They are counted when they are due, not when
 * they are deferred. Thread-safe.
 */
public interface DeferredMessages {
  /** Keeps a message until it is due. A repeated request with its idempotency key keeps one. */
  MessageRecord defer(SendRequest request, Instant dueAt);

  /** Returns deferred messages that are due, oldest first. */
  List<MessageRecord> due(int max);

  /**
   * Counts due messages and moves them to the outbox, as {@link SendLedger#place} does. A message
   * whose user has no place left, or is closed again, stays deferred until there may be one.
   */
  List<SendResult> release(List<UUID> messages);

  /** Cancels a deferred message. */
  Cancelled cancel(UUID message);

  /** The result of a cancellation. */
  enum Cancelled {
    DONE,
    /** It is no longer deferred. */
    TOO_LATE,
    UNKNOWN
  }
}
