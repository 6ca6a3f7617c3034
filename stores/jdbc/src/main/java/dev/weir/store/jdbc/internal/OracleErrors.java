package dev.weir.store.jdbc.internal;

import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.util.Set;

/**
 * Errors of Oracle by their numbers. Its SQL states are too coarse: a deadlock and a full disk have
 * the same.
 */
public final class OracleErrors {
  /**
   * A retry sees what the other transaction did: unique constraint violated, deadlock detected,
   * cannot serialize access; and the state of a package was discarded or invalidated; and a
   * snapshot is too old, of rows or of a large object, or a table was changed or moved meanwhile.
   */
  private static final Set<Integer> CONFLICTS =
      Set.of(1, 60, 8177, 4061, 4068, 1555, 8176, 22924, 1466, 8103);

  /** Another transaction holds the lock: with NOWAIT, and after the time of WAIT. */
  private static final Set<Integer> BUSY = Set.of(54, 30006);

  /**
   * The connection is of no use any more: session killed, shutdown, not logged on, end of file on
   * the communication channel, not connected; and those of the driver: input or output error,
   * closed connection, no more data, protocol violation, timeout of a read, broken in the middle of
   * a call.
   */
  private static final Set<Integer> LOST =
      Set.of(
          28, 31, 1012, 1033, 1034, 1041, 1089, 1090, 1092, 2396, 3113, 3114, 3135, 12152, 12153,
          12170, 12535, 12537, 12547, 12560, 12570, 12571, 12583, 17002, 17008, 17401, 17410, 17447,
          17800, 17902, 18730, 25401, 25402, 25403, 25408, 25409);

  /**
   * The listener or the instance cannot take a connection now: too many sessions or processes,
   * starting up or shutting down, restricted, no listener, service not registered yet, no handler
   * free, refused, no database behind it; its host is not known yet.
   */
  private static final Set<Integer> NO_CONNECTION =
      Set.of(
          18, 20, 2391, 12505, 12510, 12514, 12516, 12518, 12519, 12520, 12521, 12526, 12527, 12528,
          12530, 12541, 12543, 12545, 12564, 17868);

  /**
   * The server reports that it has rolled back in place of a commit: a deferred constraint was
   * violated, or the session was told to roll back.
   */
  private static final Set<Integer> ROLLED_BACK = Set.of(2091, 2290, 2291, 2292, 24761);

  /**
   * A statement was refused, so the block that it is in has rolled back: a value that is null or
   * too large, no space or quota left for a table, an index, a large object, undo or a sort, no
   * memory; and the block itself was, before it began: it cannot be compiled, a table is missing,
   * or a right. All others may come from a session that has ended after its commit.
   */
  private static final Set<Integer> REFUSED =
      Set.of(
          904, 942, 1031, 1400, 1438, 1536, 1652, 1653, 1654, 1658, 1688, 1691, 4031, 6502, 6550,
          12899, 30036, 65114);

  private static final String CONNECTION_FAILED = "08";

  private OracleErrors() {}

  /** Returns true if the transaction should be retried. */
  static boolean isConflict(SQLException e) {
    return CONFLICTS.contains(e.getErrorCode());
  }

  /** Returns true if a lock was not available in time. */
  private static boolean isBusy(SQLException e) {
    return BUSY.contains(e.getErrorCode());
  }

  /** Returns true if the connection is lost, so that it is unknown what became of a commit. */
  public static boolean isLost(SQLException e) {
    // By its type as well: the driver knows more reasons to connect anew than are listed here.
    return e instanceof SQLRecoverableException
        || LOST.contains(e.getErrorCode())
        || String.valueOf(e.getSQLState()).startsWith(CONNECTION_FAILED);
  }

  /** Returns true if opening a connection failed for a reason that may go away soon. */
  public static boolean isTransient(SQLException e) {
    return NO_CONNECTION.contains(e.getErrorCode()) || isLost(e);
  }

  /** Returns true if the server reports that nothing was committed. */
  static boolean isRolledBack(SQLException e) {
    return !isLost(e)
        && (isConflict(e)
            || isBusy(e)
            || ROLLED_BACK.contains(e.getErrorCode())
            || REFUSED.contains(e.getErrorCode()));
  }
}
