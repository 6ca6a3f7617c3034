package dev.weir.engine.notifications;

import dev.weir.core.limits.Decision;
import java.util.List;
import java.util.Optional;

/**
 * The usage of busy users in a fast store, so that most requests over the limit are refused without
 * the database. It is a filter and never the authority: it may be lost, stale or empty at any time,
 * and then more requests reach the database, which decides.
 *
 * <p>A user whose entry is full is refused here for at most {@link #MAX_TRUST_MILLIS} after the
 * database last confirmed it; then one request passes to the database and confirms it again. So an
 * entry that counts too much, because a node crashed between its steps, corrects itself.
 *
 * <p>Methods throw {@link dev.weir.engine.StoreException} if the store fails. Thread-safe.
 */
public interface HotCounts {
  /** How long a full entry is trusted without confirmation. */
  long MAX_TRUST_MILLIS = 5_000;

  /**
   * A message that a user wants to send.
   *
   * @param parts the cost of the message if the user's limit counts parts
   * @param minVersion entries of an earlier version of the user's limit are dropped
   */
  record Wanted(long userId, int parts, long minVersion) {}

  /**
   * Checks and counts in one atomic step. Returns a refusal for each request that the database need
   * not be asked about; empty if it must decide.
   *
   * <p>Entries of a version below {@code minVersion} are dropped.
   */
  List<Optional<Decision.Refused>> check(List<Wanted> wanted);

  /** Stores the states that the database returned, unless a newer one is known. */
  void learn(List<UserState> states);

  /** Drops the entry of a user whose limit has changed. */
  void forget(long userId);
}
