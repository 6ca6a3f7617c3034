package dev.weir.notifications.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Statements that differ only in their parameters. */
final class Batch {
  private Batch() {}

  /**
   * Sends a statement for each row, all in one round trip. Each finds its row by the key, whereas
   * one statement over arrays could be planned as a scan while the table is small.
   */
  static <T> void send(
      Connection connection, String sql, List<T> rows, Function<T, @Nullable Object[]> parameters)
      throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (T row : rows) {
        @Nullable Object[] values = parameters.apply(row);
        for (int i = 0; i < values.length; i++) {
          statement.setObject(i + 1, values[i]);
        }
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }
}
