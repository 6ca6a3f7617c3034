package dev.weir.notifications.messages;

import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import java.util.List;

/**
 * The usage of busy users in a fast store, so that most requests over the limit are refused without
 * the database. It is a filter and never the authority: it may be lost, stale or empty at any time,
 * and then more requests reach the database, which decides.
 *
 * <p>A user whose entry is full is refused here for at most {@link #MAX_TRUST_MILLIS} after the
 * database last confirmed it; then one request passes to the database and confirms it again. So an
 * entry that counts too much, because a node crashed between its steps, corrects itself.
 *
 * <p>Each state that the database returns for a request must be {@linkplain #learn learned},
 * including those of refusals and withdrawals, unless {@link #check} has {@linkplain Passed#COUNTED
 * counted} the request and the database has accepted it. If the database fails, the user must be
 * {@linkplain #forget forgotten} instead. Requests with an idempotency key are decided by the
 * database in any case and are not checked here.
 *
 * <p>Methods throw {@link dev.weir.StoreException} if the store fails. Thread-safe.
 */
public interface HotCounts {
  /** How long a full entry is trusted without confirmation. */
  long MAX_TRUST_MILLIS = 5_000;

  /**
   * A message that a user wants to send.
   *
   * @param parts the number of parts of the message, its cost if the user's limit counts parts
   * @param minVersion the version of the user's limit that is known; an entry of an earlier version
   *     is dropped
   */
  record Wanted(long userId, int parts, long minVersion) {}

  /** The result of a check. */
  sealed interface Checked {}

  /**
   * A refusal without the database.
   *
   * @param limit the user's limit, as the database would name it
   */
  record Refusal(Limit limit, Decision.Refused decision) implements Checked {}

  /** The database must decide. */
  enum Passed implements Checked {
    /** The entry of the user counts the request. */
    COUNTED,
    /** There is no entry, or it does not know enough: it must learn what the database returns. */
    UNKNOWN
  }

  /**
   * Checks and counts the requests, in order. Those of one user are one atomic step.
   *
   * @return one result for each request, in order
   */
  List<Checked> check(List<Wanted> wanted);

  /**
   * Stores the states that the database returned, unless a newer one of the same user is known. The
   * state of a user who was configured replaces every state of an earlier version.
   */
  void learn(List<UserState> states);

  /** Drops the entry of a user, so that the database decides about the next request. */
  void forget(long userId);
}
