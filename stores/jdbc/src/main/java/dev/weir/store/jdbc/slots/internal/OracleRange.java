package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Rows that are removed in steps, in the order of a column that is unique among them. Finds the end
 * of a step first, because a subquery with a limit would be evaluated for each row.
 *
 * @param end the query of the last value of a step; its last parameter is the number of rows
 * @param delete the removal up to a value, which is its last parameter
 */
record OracleRange(String end, String delete) {
  static OracleRange of(String table, String column, String condition) {
    return new OracleRange(
        """
        select max(r.%2$s) from (
          select %2$s from %1$s where %3$s order by %2$s fetch first ? rows only) r
        """
            .formatted(table, column, condition),
        "delete from %1$s where %3$s and %2$s <= ?".formatted(table, column, condition));
  }

  /** Removes up to {@code max} rows. */
  int remove(Connection connection, int max, Object... parameters) throws SQLException {
    if (max <= 0) {
      return 0;
    }
    Optional<Long> last = end(connection, max, parameters);
    return last.isPresent()
        ? Sql.update(connection, delete, with(parameters, last.get()).toArray())
        : 0;
  }

  boolean exists(Connection connection, Object... parameters) throws SQLException {
    return end(connection, 1, parameters).isPresent();
  }

  private Optional<Long> end(Connection connection, int max, Object... parameters)
      throws SQLException {
    return Sql.first(
            connection,
            row -> {
              long value = row.getLong(1);
              return row.wasNull() ? Optional.<Long>empty() : Optional.of(value);
            },
            end,
            with(parameters, max).toArray())
        .orElseThrow();
  }

  private static List<Object> with(Object[] parameters, Object last) {
    List<Object> all = new ArrayList<>(Arrays.asList(parameters));
    all.add(last);
    return all;
  }
}
