package dev.weir.benchmarks.slots;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalLong;

/**
 * The comparator's counter rows, one for each window of one configuration.
 *
 * <p>A claim takes one place and leaves the row locked until the transaction ends.
 */
final class CounterRows {
  /** How the earliest window with room is found and a place in it taken. */
  enum Style {
    /**
     * The usual way: a scan of the primary key passes full windows, a {@code SELECT} locks the
     * first row without a lock, an {@code UPDATE} follows.
     */
    PLAIN,

    /**
     * The best that the design allows: full windows leave the searched index, and one nested
     * statement finds, locks and takes.
     */
    TUNED
  }

  private static final String LOCK_FIRST =
      """
      SELECT window_start FROM usual.slot_window
      WHERE config_id = ? AND window_start = ? AND taken < ?
      FOR UPDATE SKIP LOCKED
      """;

  private static final String LOCK_EARLIEST =
      """
      SELECT window_start FROM usual.slot_window
      WHERE config_id = ? AND window_start > ? AND taken < ?
      ORDER BY config_id, window_start
      LIMIT 1
      FOR UPDATE SKIP LOCKED
      """;

  private static final String TAKE =
      """
      UPDATE usual.slot_window SET taken = taken + 1, has_room = taken + 1 < ?
      WHERE config_id = ? AND window_start = ? AND taken < ?
      """;

  // The nested select is uncorrelated, so it runs and locks once.
  private static final String LOCK_EARLIEST_AND_TAKE =
      """
      UPDATE usual.slot_window SET taken = taken + 1, has_room = taken + 1 < ?
      WHERE config_id = ? AND window_start = (
        SELECT window_start FROM usual.slot_window
        WHERE config_id = ? AND window_start > ? AND has_room
        ORDER BY config_id, window_start
        LIMIT 1
        FOR UPDATE SKIP LOCKED)
      RETURNING window_start
      """;

  private static final String SCOUT =
      """
      SELECT window_start FROM usual.slot_window
      WHERE config_id = ? AND window_start > ? AND has_room
      ORDER BY config_id, window_start
      LIMIT 1
      """;

  private static final String IS_FULL =
      "SELECT NOT has_room FROM usual.slot_window WHERE config_id = ? AND window_start = ?";

  private final Style style;
  private final int configId;
  private final int maxPerWindow;

  CounterRows(Style style, int configId, int maxPerWindow) {
    this.style = style;
    this.configId = configId;
    this.maxPerWindow = maxPerWindow;
  }

  /** Claims a place in exactly the requested window, if fewer than {@code places} are taken. */
  boolean claimFirst(Connection connection, long window, int places) throws SQLException {
    boolean locked;
    try (PreparedStatement statement = connection.prepareStatement(LOCK_FIRST)) {
      statement.setInt(1, configId);
      statement.setLong(2, window);
      statement.setInt(3, places);
      locked = single(statement).isPresent();
    }
    return locked && take(connection, window);
  }

  /** Claims a place in the earliest later window with room that is not locked at the moment. */
  OptionalLong claimEarliest(Connection connection, long after) throws SQLException {
    return switch (style) {
      case PLAIN -> {
        OptionalLong locked = lockEarliest(connection, after);
        if (locked.isPresent()) {
          take(connection, locked.getAsLong());
        }
        yield locked;
      }
      case TUNED -> lockEarliestAndTake(connection, after);
    };
  }

  /** Claims a place in the given window after waiting for its lock, if room is left then. */
  boolean claimWaiting(Connection connection, long window) throws SQLException {
    return take(connection, window);
  }

  /** Returns, without locking, a window with room that may be locked by other transactions. */
  OptionalLong scout(Connection connection, long after) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SCOUT)) {
      statement.setInt(1, configId);
      statement.setLong(2, after);
      return single(statement);
    }
  }

  boolean isFull(Connection connection, long window) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(IS_FULL)) {
      statement.setInt(1, configId);
      statement.setLong(2, window);
      try (ResultSet result = statement.executeQuery()) {
        return result.next() && result.getBoolean(1);
      }
    }
  }

  private OptionalLong lockEarliest(Connection connection, long after) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOCK_EARLIEST)) {
      statement.setInt(1, configId);
      statement.setLong(2, after);
      statement.setInt(3, maxPerWindow);
      return single(statement);
    }
  }

  private OptionalLong lockEarliestAndTake(Connection connection, long after) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOCK_EARLIEST_AND_TAKE)) {
      statement.setInt(1, maxPerWindow);
      statement.setInt(2, configId);
      statement.setInt(3, configId);
      statement.setLong(4, after);
      return single(statement);
    }
  }

  private boolean take(Connection connection, long window) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TAKE)) {
      statement.setInt(1, maxPerWindow);
      statement.setInt(2, configId);
      statement.setLong(3, window);
      statement.setInt(4, maxPerWindow);
      return statement.executeUpdate() == 1;
    }
  }

  private static OptionalLong single(PreparedStatement query) throws SQLException {
    try (ResultSet result = query.executeQuery()) {
      return result.next() ? OptionalLong.of(result.getLong(1)) : OptionalLong.empty();
    }
  }
}
