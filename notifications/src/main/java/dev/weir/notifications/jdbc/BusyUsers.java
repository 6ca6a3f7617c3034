package dev.weir.notifications.jdbc;

import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Users whose rows were locked by another transaction for longer than any of Weir's should hold
 * them. A transaction waits for the rows of its users in turn with those of other nodes; it does
 * not wait for these, so that one of them stops only itself. Thread-safe.
 */
final class BusyUsers {
  /** Longer than transactions hold a row, on all but the busiest machines. */
  static final Duration MAX_WAIT = Duration.ofMillis(200);

  /** More of them are waited for, for a short time in each transaction. */
  private static final int MAX = 10_000;

  private final Duration maxWait;

  private final Set<Long> known = ConcurrentHashMap.newKeySet();

  /**
   * @param maxWait how long a transaction waits for users that are not known to be busy
   */
  BusyUsers(Duration maxWait) {
    this.maxWait = maxWait;
  }

  /** How the transactions of one call lock their users, each attempt by what the last one found. */
  final class Locking {
    private boolean isTrying;

    /** Locks users. Those that are known to be busy, or are found to be, are left out. */
    LockedUsers lock(Connection connection, StoreClock clock, Collection<Long> userIds)
        throws SQLException {
      List<Long> waited = new ArrayList<>();
      List<Long> tried = new ArrayList<>();
      for (long userId : userIds) {
        (isTrying || known.contains(userId) ? tried : waited).add(userId);
      }
      try {
        LockedUsers users = LockedUsers.lockPatiently(connection, clock, maxWait, waited, tried);
        known.removeAll(tried);
        if (known.size() < MAX) {
          known.addAll(users.busy());
        }
        return users;
      } catch (SQLException e) {
        if (!LockedUsers.isLockTimeout(e)) {
          throw e;
        }
        // Which of them it is shows the next attempt.
        isTrying = true;
        throw new SQLException("a user is locked", Transactions.TRY_AGAIN, e);
      }
    }
  }
}
