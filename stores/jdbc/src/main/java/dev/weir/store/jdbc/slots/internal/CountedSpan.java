package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A span of time before the begin of a configuration's grid for which its windows and runs were
 * counted from slots and are stored.
 */
record CountedSpan(long fromMicros, long untilMicros) {
  private static final String NOT_AFTER =
      """
      select from_micros, until_micros from counted_span
      where config_id = ? and grid = ? and from_micros <= ? order by from_micros desc
      fetch first 1 rows only
      """;

  private static final String REMOVE =
      "delete from counted_span where config_id = ? and grid = ? and from_micros = ?";

  static CountedSpan read(ResultSet row) throws SQLException {
    return new CountedSpan(row.getLong(1), row.getLong(2));
  }

  /** Returns the last span that begins at or before a time. */
  static Optional<CountedSpan> notAfter(Connection connection, ConfigRow configRow, long micros)
      throws SQLException {
    return Sql.first(
        connection, CountedSpan::read, NOT_AFTER, configRow.configId(), configRow.grid(), micros);
  }

  boolean covers(long micros) {
    return fromMicros <= micros && micros < untilMicros;
  }

  /** Stores this span, merged with the neighbours that it touches. */
  void store(
      SlotDialect dialect,
      Connection connection,
      ConfigRow configRow,
      Optional<CountedSpan> left,
      Optional<CountedSpan> right)
      throws SQLException {
    long from = left.filter(span -> span.untilMicros == fromMicros).orElse(this).fromMicros;
    long until = untilMicros;
    if (right.isPresent() && right.get().fromMicros == untilMicros) {
      Sql.update(connection, REMOVE, configRow.configId(), configRow.grid(), untilMicros);
      until = right.get().untilMicros;
    }
    dialect.storeSpan(connection, configRow, new CountedSpan(from, until));
  }
}
