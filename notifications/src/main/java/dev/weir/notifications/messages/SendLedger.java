package dev.weir.notifications.messages;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Counts messages against the limits of their users, and keeps the outbox: the messages that were
 * counted and may not have been published yet. Count and outbox change in one step, so after any
 * crash each counted message is either known to be published or still in the outbox.
 *
 * <p>Every method is one atomic step and throws {@link dev.weir.StoreException} if the store fails,
 * which says whether anything may have been done. Thread-safe; any number of nodes may use one
 * database.
 */
public interface SendLedger {
  /**
   * Decides about each request, in order: takes a place and adds the message to the outbox.
   * Requests with a known idempotency key take nothing. Neither does a request whose message id is
   * known, so that a request can be repeated after a failure with an unknown outcome.
   *
   * <p>A user whose row another transaction holds for long delays no other user: its requests are
   * {@link SendResult.Busy}.
   *
   * <p>With {@link SendRequest.WhenClosed#DEFER} a request outside the user's hours is still {@link
   * SendResult.Closed}; the caller decides when the message is due.
   */
  List<SendResult.Placing> place(List<SendRequest> requests);

  /** Removes published messages from the outbox. Unknown ones are ignored. */
  void published(List<UUID> messages);

  /**
   * Removes messages that certainly were not published by the caller that placed them, and gives
   * their places back.
   *
   * <p>Messages that are no longer in the outbox are not withdrawn, and neither are those that were
   * handed out a second time, by {@link SendResult.Repeated} or {@link #claimUnpublished}: the
   * other caller may have published them. They stay in the outbox until they are published.
   *
   * @return those that were withdrawn
   */
  List<Withdrawn> withdraw(List<UUID> messages);

  /**
   * A message whose place was given back.
   *
   * @param state the state of its user after all changes of the call
   */
  record Withdrawn(UUID message, UserState state) {}

  /**
   * Ends messages that can never be published, because no attempt to publish them can succeed, such
   * as one that is too large for the topic. They leave the outbox and have {@linkplain
   * MessageState#FAILED failed}, their places are given back, and their idempotency keys are free
   * again. A message that was delivered nevertheless only leaves the outbox. Messages that are not
   * in the outbox are ignored.
   *
   * @return those that have failed
   */
  List<Withdrawn> fail(List<Unpublishable> messages);

  /**
   * A message that can never be published.
   *
   * @param reason up to {@link MessageLog#MAX_REASON_LENGTH} characters of it are kept
   */
  record Unpublishable(UUID message, String reason) {
    public Unpublishable {
      // It comes from a remote system, and must not prevent the record.
      reason = StorableText.replaced(reason, MessageLog.MAX_REASON_LENGTH);
    }
  }

  /**
   * Claims up to {@code max} messages that have been in the outbox for at least {@code minAge},
   * oldest first, so that no other node claims them during {@code claim}.
   */
  List<Claimed> claimUnpublished(Duration minAge, Duration claim, int max);

  /**
   * A message that was claimed.
   *
   * @param cost what it took of the limit of its user
   */
  record Claimed(Message message, long cost) {}
}
