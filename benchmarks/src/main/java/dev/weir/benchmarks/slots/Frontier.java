package dev.weir.benchmarks.slots;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalLong;

/**
 * The comparator's record of which windows have rows: they are created in chunks of 100, and an
 * append-only table lists the existing chunks.
 *
 * <p>Chunks that are known to exist are cached. Thread-safe.
 */
final class Frontier {
  static final int CHUNK_WINDOWS = 100;
  private static final int REMEMBERED = 10_000;

  private static final String LAST_CHUNK =
      """
      SELECT chunk_start FROM usual.frontier
      WHERE config_id = ? AND chunk_start >= ?
      ORDER BY config_id DESC, chunk_start DESC
      LIMIT 1
      """;

  private static final String APPEND =
      "INSERT INTO usual.frontier (config_id, chunk_start) VALUES (?, ?) ON CONFLICT DO NOTHING";

  private static final String PROVISION =
      """
      INSERT INTO usual.slot_window (config_id, window_start)
      SELECT ?, ? + n * ? FROM generate_series(0, ? - 1) AS n
      """;

  private final int configId;
  private final long windowMicros;
  private final RememberedStarts existing = new RememberedStarts(REMEMBERED);

  Frontier(int configId, long windowMicros) {
    this.configId = configId;
    this.windowMicros = windowMicros;
  }

  /** Ensures that the window has a row. Ends the transaction if it had to write. */
  void reach(Connection connection, long window) throws SQLException {
    long chunk = chunkOf(window);
    if (!existing.contains(chunk)) {
      provision(connection, chunk);
    }
  }

  /** Creates the next chunk after all that follow the window. Ends the transaction. */
  void advance(Connection connection, long window) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LAST_CHUNK)) {
      statement.setInt(1, configId);
      statement.setLong(2, chunkOf(window));
      OptionalLong last;
      try (ResultSet result = statement.executeQuery()) {
        last = result.next() ? OptionalLong.of(result.getLong(1)) : OptionalLong.empty();
      }
      provision(
          connection,
          last.isPresent() ? last.getAsLong() + CHUNK_WINDOWS * windowMicros : chunkOf(window));
    }
  }

  /**
   * Creates the chunk in a separate transaction: the caller has written nothing yet, and others
   * must not wait for its slot. A transaction that loses the race for a chunk waits inside the
   * insert for the winner's commit, and then finds the windows there.
   */
  private void provision(Connection connection, long chunk) throws SQLException {
    boolean ours;
    try (PreparedStatement statement = connection.prepareStatement(APPEND)) {
      statement.setInt(1, configId);
      statement.setLong(2, chunk);
      ours = statement.executeUpdate() == 1;
    }
    if (ours) {
      try (PreparedStatement statement = connection.prepareStatement(PROVISION)) {
        statement.setInt(1, configId);
        statement.setLong(2, chunk);
        statement.setLong(3, windowMicros);
        statement.setInt(4, CHUNK_WINDOWS);
        statement.executeUpdate();
      }
    }
    connection.commit();
    existing.add(chunk);
  }

  private long chunkOf(long window) {
    long chunkMicros = CHUNK_WINDOWS * windowMicros;
    return Math.floorDiv(window, chunkMicros) * chunkMicros;
  }
}
