package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.Calendar;
import dev.weir.slots.NotBefore;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import dev.weir.store.jdbc.internal.CalendarText;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.UnknownZoneException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;

/** Reads versions of configurations from, and writes them to, {@code slot_config_version}. */
final class ConfigVersionRow {
  static final String SELECT =
      """
      select c.name, v.version, v.max_per_window, v.window_micros, v.spread, v.max_delay_micros,
             v.not_before, v.calendar, v.paused_until, v.created_at
      from slot_config_version v join slot_config c on c.config_id = v.config_id
      """;

  private static final String INSERT =
      """
      insert into slot_config_version (config_id, version, max_per_window, window_micros, spread,
                               max_delay_micros, not_before, calendar, paused_until, created_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;

  private ConfigVersionRow() {}

  static SlotConfig read(ResultSet row) throws SQLException {
    SlotPolicy policy =
        new SlotPolicy(
            row.getInt(3),
            Micros.duration(row.getLong(4)),
            Spread.valueOf(row.getString(5).toUpperCase(Locale.ROOT)),
            micros(row, 6).map(Micros::duration),
            NotBefore.valueOf(row.getString(7).toUpperCase(Locale.ROOT)),
            calendar(row),
            micros(row, 9).map(Micros::instant));
    return new SlotConfig(row.getString(1), row.getInt(2), policy, Micros.instant(row.getLong(10)));
  }

  private static Calendar calendar(ResultSet row) throws SQLException {
    try {
      return CalendarText.read(row.getString(8));
    } catch (UnknownZoneException e) {
      throw e.in("version %d of configuration %s".formatted(row.getInt(2), row.getString(1)));
    }
  }

  /** Returns the version in force of a configuration. */
  static SlotConfig inForce(Connection connection, ConfigRow configRow) throws SQLException {
    return Sql.first(
            connection,
            ConfigVersionRow::read,
            SELECT + "where v.config_id = ? and v.version = ?",
            configRow.configId(),
            configRow.version())
        .orElseThrow();
  }

  static void insert(Connection connection, int configId, SlotConfig config) throws SQLException {
    SlotPolicy policy = config.policy();
    Sql.update(
        connection,
        INSERT,
        configId,
        config.version(),
        policy.maxPerWindow(),
        policy.windowMicros(),
        policy.spread().name().toLowerCase(Locale.ROOT),
        Sql.orNull(policy.maxDelay().map(Micros::floor).orElse(null)),
        policy.notBefore().name().toLowerCase(Locale.ROOT),
        Sql.orNull(CalendarText.write(policy.calendar())),
        Sql.orNull(policy.pausedUntil().map(Micros::ceil).orElse(null)),
        Micros.ceil(config.createdAt()));
  }

  private static Optional<Long> micros(ResultSet row, int column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? Optional.empty() : Optional.of(value);
  }
}
