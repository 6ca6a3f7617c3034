package dev.weir.benchmarks.slots;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The comparator's tables, in a separate PostgreSQL schema, {@code usual}. */
final class UsualSchema {
  // Counters change a hundred times, and no index may cover a changing column, or every change
  // would write to the index too: has_room changes only once, at the last place. The fill factor
  // leaves room on the page for the new row versions.
  private static final String TABLES =
      """
      CREATE SCHEMA usual;
      CREATE TABLE usual.slot (
        event_id text PRIMARY KEY,
        config_id int NOT NULL,
        requested bigint NOT NULL,
        window_start bigint NOT NULL,
        scheduled bigint NOT NULL,
        assigned_at bigint NOT NULL);
      CREATE INDEX slot_by_time ON usual.slot (config_id, scheduled);
      CREATE TABLE usual.slot_window (
        config_id int NOT NULL,
        window_start bigint NOT NULL,
        taken int NOT NULL DEFAULT 0,
        has_room boolean NOT NULL DEFAULT true,
        PRIMARY KEY (config_id, window_start)) WITH (fillfactor = 25);
      CREATE TABLE usual.frontier (
        config_id int NOT NULL,
        chunk_start bigint NOT NULL,
        PRIMARY KEY (config_id, chunk_start));
      """;

  private static final String SEARCHED_INDEX =
      """
      CREATE INDEX slot_window_with_room ON usual.slot_window (config_id, window_start)
        WHERE has_room
      """;

  private UsualSchema() {}

  /** Drops the tables of an earlier run and creates them, empty. */
  static void recreate(DataSource dataSource, CounterRows.Style style) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(true);
      statement.execute("DROP SCHEMA IF EXISTS usual CASCADE");
      statement.execute(TABLES);
      if (style == CounterRows.Style.TUNED) {
        statement.execute(SEARCHED_INDEX);
      }
    }
  }
}
