package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotConfig;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.RandomStep;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A row of {@code slot_config}, and the time at which it was read.
 *
 * @param versionMicros the time at which the version was created; 0 if the version was committed
 *     while the statement waited for the lock, and so its row was not visible to it
 * @param seq advances with each change, by random steps, see {@link RandomStep}
 */
record ConfigRow(
    int configId,
    String name,
    int version,
    long versionMicros,
    int grid,
    long sinceMicros,
    long seq,
    long nowMicros) {

  /** Selects {@code versionMicros} of a configuration {@code c}. */
  static final String VERSION_MICROS =
      "(select v.created_at from slot_config_version v"
          + " where v.config_id = c.config_id and v.version = c.version)";

  /** Reads the columns of {@link SlotDialect#selectConfigs}. */
  static ConfigRow read(ResultSet row, Dialect dialect, StoreClock clock) throws SQLException {
    return new ConfigRow(
        row.getInt(1),
        row.getString(2),
        row.getInt(3),
        row.getLong(4),
        row.getInt(5),
        row.getLong(6),
        row.getLong(7),
        clock.micros(dialect.micros(row, 8)));
  }

  /**
   * Returns true if this version is in force. Its number alone does not say that: a database that
   * was restored from a backup, or that lost a change, gives the number of a lost version again.
   */
  boolean isInForce(SlotConfig config) {
    return version == config.version() && versionMicros == Micros.ceil(config.createdAt());
  }

  /** Returns this row on a new grid of windows, which are complete from {@code since} on. */
  ConfigRow onNextGrid(long since) {
    return new ConfigRow(configId, name, version, versionMicros, grid + 1, since, seq, nowMicros);
  }

  /** Returns this row after a write that advanced {@code seq} by {@code step}. */
  ConfigRow advanced(int step) {
    return new ConfigRow(
        configId, name, version, versionMicros, grid, sinceMicros, seq + step, nowMicros);
  }

  /** Returns this row as read at another time. */
  ConfigRow at(long micros) {
    return new ConfigRow(configId, name, version, versionMicros, grid, sinceMicros, seq, micros);
  }
}
