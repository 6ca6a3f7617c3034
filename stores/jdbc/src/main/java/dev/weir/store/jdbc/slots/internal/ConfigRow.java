package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** A row of {@code slot_config}, and the time at which it was read. */
record ConfigRow(
    int configId, String name, int version, int grid, long sinceMicros, long seq, long nowMicros) {

  static final String COLUMNS =
      "c.config_id, c.name, c.version, c.grid, c.since, c.seq, " + Sql.NOW;

  static ConfigRow read(ResultSet row, StoreClock clock) throws SQLException {
    return new ConfigRow(
        row.getInt(1),
        row.getString(2),
        row.getInt(3),
        row.getInt(4),
        row.getLong(5),
        row.getLong(6),
        clock.micros(row.getLong(7)));
  }

  /** Returns this row on a new grid of windows, which are complete from {@code since} on. */
  ConfigRow onNextGrid(long since) {
    return new ConfigRow(configId, name, version, grid + 1, since, seq, nowMicros);
  }

  /** Returns this row after a write that advanced {@code seq} by {@code step}. */
  ConfigRow advanced(int step) {
    return new ConfigRow(configId, name, version, grid, sinceMicros, seq + step, nowMicros);
  }

  /** Reads the row of a configuration without locking it. */
  static Optional<ConfigRow> find(Connection connection, StoreClock clock, String name)
      throws SQLException {
    return Sql.first(
        connection,
        row -> read(row, clock),
        "select " + COLUMNS + " from slot_config c where c.name = ?",
        name);
  }

  /** Locks the row of a configuration; empty if another transaction holds the lock. */
  static Optional<ConfigRow> lockIfFree(Connection connection, StoreClock clock, String name)
      throws SQLException {
    return Sql.first(
        connection,
        row -> read(row, clock),
        "select " + COLUMNS + " from slot_config c where c.name = ? for update skip locked",
        name);
  }

  /** Locks the row of a configuration. */
  static Optional<ConfigRow> lock(Connection connection, StoreClock clock, String name)
      throws SQLException {
    return Sql.first(
        connection,
        row -> read(row, clock),
        "select " + COLUMNS + " from slot_config c where c.name = ? for update",
        name);
  }
}
