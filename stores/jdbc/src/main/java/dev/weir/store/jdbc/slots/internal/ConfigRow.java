package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A row of {@code slot_config}, and the time at which it was read. */
record ConfigRow(
    int configId, String name, int version, int grid, long sinceMicros, long seq, long nowMicros) {

  /** Reads the columns of {@link SlotDialect#selectConfigs}. */
  static ConfigRow read(ResultSet row, Dialect dialect, StoreClock clock) throws SQLException {
    return new ConfigRow(
        row.getInt(1),
        row.getString(2),
        row.getInt(3),
        row.getInt(4),
        row.getLong(5),
        row.getLong(6),
        clock.micros(dialect.micros(row, 7)));
  }

  /** Returns this row on a new grid of windows, which are complete from {@code since} on. */
  ConfigRow onNextGrid(long since) {
    return new ConfigRow(configId, name, version, grid + 1, since, seq, nowMicros);
  }

  /** Returns this row after a write that advanced {@code seq} by {@code step}. */
  ConfigRow advanced(int step) {
    return new ConfigRow(configId, name, version, grid, sinceMicros, seq + step, nowMicros);
  }

  /** Returns this row as read at another time. */
  ConfigRow at(long micros) {
    return new ConfigRow(configId, name, version, grid, sinceMicros, seq, micros);
  }
}
