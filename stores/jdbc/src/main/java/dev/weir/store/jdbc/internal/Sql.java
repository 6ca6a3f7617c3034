package dev.weir.store.jdbc.internal;

import dev.weir.store.jdbc.StoreClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs SQL statements, each with its parameters in one expression. */
public final class Sql {
  /** SQL expression of the database's clock, in microseconds since the epoch. */
  public static final String NOW = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";

  private Sql() {}

  /** Reads one row. */
  public interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  public static PreparedStatement prepare(
      Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }

  public static <T> List<T> list(
      Connection connection, Row<T> row, String sql, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, parameters);
        ResultSet rows = statement.executeQuery()) {
      return list(rows, row);
    }
  }

  public static <T> List<T> list(ResultSet rows, Row<T> row) throws SQLException {
    List<T> list = new ArrayList<>();
    while (rows.next()) {
      list.add(row.read(rows));
    }
    return list;
  }

  public static <T> Optional<T> first(
      Connection connection, Row<T> row, String sql, @Nullable Object... parameters)
      throws SQLException {
    return list(connection, row, sql, parameters).stream().findFirst();
  }

  public static int update(Connection connection, String sql, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, parameters)) {
      return statement.executeUpdate();
    }
  }

  /** Returns the time to decide by, in microseconds since the epoch. */
  public static long now(Connection connection, StoreClock clock) throws SQLException {
    return first(connection, row -> clock.micros(row.getLong(1)), "select " + NOW).orElseThrow();
  }

  /** Returns the time of a clock other than the database's; null to use the database's clock. */
  public static @Nullable Long givenNow(Connection connection, StoreClock clock)
      throws SQLException {
    return clock.equals(StoreClock.DATABASE) ? null : now(connection, clock);
  }
}
