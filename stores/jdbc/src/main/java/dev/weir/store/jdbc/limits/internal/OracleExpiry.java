package dev.weir.store.jdbc.limits.internal;

import dev.weir.store.jdbc.internal.InList;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes rows of a table of Oracle that have expired, except those that are locked. A query with a
 * limit cannot lock, so the first rows are found before they are locked.
 *
 * @param find the query of the keys of expired rows, in the order of their expiry
 * @param lock the query that locks those of them that nobody else has locked, up to the keys
 * @param remove the removals of a key, in order
 */
record OracleExpiry(String find, String lock, String key, String expiry, List<String> remove) {
  static final OracleExpiry USAGES = of("limit_usage", "id", "remove_at", List.of());

  static final OracleExpiry REQUESTS = of("limit_request", "id", "expires_at", List.of());

  /** Resources, and the rest of their leases, all of which have ended. */
  static final OracleExpiry RESOURCES =
      of(
          "lease_resource",
          "resource_name",
          "remove_at",
          List.of("delete from lease where resource_name = ?"));

  private static OracleExpiry of(
      String table, String key, String expiry, List<String> removeOthers) {
    List<String> remove = new ArrayList<>(removeOthers);
    remove.add("delete from %s where %s = ?".formatted(table, key));
    return new OracleExpiry(
        "select %2$s from %1$s where %3$s < ? order by %3$s fetch first ? rows only"
            .formatted(table, key, expiry),
        "select %2$s from %1$s where ".formatted(table, key),
        key,
        expiry,
        remove);
  }

  /** Removes up to {@code max} rows that have expired before a time, in one transaction. */
  int remove(Connection connection, long beforeMicros, int max) throws SQLException {
    List<String> expired = Sql.list(connection, row -> row.getString(1), find, beforeMicros, max);
    int removed = 0;
    for (InList portion : InList.conditions(key, expired)) {
      List<Object> parameters = new ArrayList<>(portion.parameters());
      parameters.add(beforeMicros);
      List<List<Object>> locked =
          Sql.list(
              connection,
              row -> List.<Object>of(row.getString(1)),
              lock + portion.sql() + " and " + expiry + " < ? for update skip locked",
              parameters.toArray());
      if (!locked.isEmpty()) {
        for (String statement : remove) {
          Sql.batch(connection, statement, locked);
        }
      }
      removed += locked.size();
    }
    return removed;
  }
}
