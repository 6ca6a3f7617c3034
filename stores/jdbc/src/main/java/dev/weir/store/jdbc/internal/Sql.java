package dev.weir.store.jdbc.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs SQL statements, each with its parameters in one expression.
 *
 * <p>PostgreSQL plans by statistics, which it takes at any time: also of tables that are still
 * small, or whose rows are not committed yet. A plan stays when they grow. So statements leave it
 * one choice. A sub-select with {@code offset 0}, or in {@code any(array(…))}, does not become a
 * join, which may read whole tables, but looks rows up; a column in a sum, {@code state + 0}, is in
 * no index, where a key should be used.
 */
public final class Sql {
  /** Rows of one round trip: drivers hold all of them in memory, and not all take any number. */
  private static final int ROWS_A_ROUND_TRIP = 8_192;

  private Sql() {}

  /**
   * A parameter without a value. Its type is stated, because a database cannot always infer it, and
   * a driver would prepare the statement anew when the type changes.
   *
   * @param type one of {@link Types}
   */
  private record Null(int type) {}

  private static final Null NO_NUMBER = new Null(Types.BIGINT);
  private static final Null NO_TEXT = new Null(Types.VARCHAR);
  private static final Null NO_BYTES = new Null(Types.VARBINARY);

  /** Returns the parameter of a column that may be null. */
  public static Object orNull(@Nullable Number value) {
    return value == null ? NO_NUMBER : value;
  }

  /** Returns the parameter of a column that may be null. */
  public static Object orNull(@Nullable String value) {
    return value == null ? NO_TEXT : value;
  }

  /** Returns the parameter of a column that may be null. */
  public static Object orNull(byte @Nullable [] value) {
    return value == null ? NO_BYTES : value;
  }

  /** Reads one row. */
  public interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  public static PreparedStatement prepare(
      Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    bind(statement, parameters);
    return statement;
  }

  private static void bind(PreparedStatement statement, @Nullable Object... parameters)
      throws SQLException {
    for (int i = 0; i < parameters.length; i++) {
      if (parameters[i] instanceof Null missing) {
        statement.setNull(i + 1, missing.type());
      } else {
        statement.setObject(i + 1, parameters[i]);
      }
    }
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

  /**
   * Inserts a row; returns the value that the database has generated for its column {@code key}.
   */
  public static long insert(
      Connection connection, String key, String sql, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql, new String[] {key})) {
      bind(statement, parameters);
      statement.executeUpdate();
      try (ResultSet keys = statement.getGeneratedKeys()) {
        keys.next();
        return keys.getLong(1);
      }
    }
  }

  /**
   * Executes a statement for each list of parameters, in one round trip for up to 8,192 of them.
   */
  public static void batch(
      Connection connection, String sql, List<? extends List<? extends @Nullable Object>> rows)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int added = 0;
      for (List<? extends @Nullable Object> row : rows) {
        bind(statement, row.toArray());
        statement.addBatch();
        added++;
        if (added % ROWS_A_ROUND_TRIP == 0 || added == rows.size()) {
          statement.executeBatch();
        }
      }
    }
  }
}
