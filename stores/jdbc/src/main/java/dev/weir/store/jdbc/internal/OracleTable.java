package dev.weir.store.jdbc.internal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table of Oracle whose rows are locked by their keys, changed by this process, and written back.
 *
 * <p>A row that there is not cannot be locked. If two transactions add the same one, the second
 * waits for the end of the first and then violates the key: it has to be repeated, and finds the
 * row. Rows are locked and added in the order of their keys, so transactions cannot deadlock.
 *
 * @param name its primary key is the constraint {@code name_key}
 * @param key the columns of its primary key; rows are locked and read by the first of them
 * @param values its other columns
 * @param readKey reads the key of a row that was selected by key and values, in this order
 * @param read reads the values of the same row
 * @param keyOf returns the values of the columns of a key
 * @param valuesOf returns the values of the other columns
 */
public record OracleTable<K extends Comparable<? super K>, V>(
    String name,
    List<String> key,
    List<String> values,
    Sql.Row<K> readKey,
    Sql.Row<V> read,
    Function<K, List<Object>> keyOf,
    Function<V, List<Object>> valuesOf) {

  /** A table whose primary key is one text. */
  public static <V> OracleTable<String, V> byText(
      String name,
      String key,
      List<String> values,
      Sql.Row<V> read,
      Function<V, List<Object>> valuesOf) {
    return new OracleTable<>(
        name, List.of(key), values, row -> row.getString(1), read, List::of, valuesOf);
  }

  /**
   * Locks the rows that there are, in the order of their keys, and reads them as they are then.
   *
   * @param keys in an order that all transactions have in common
   */
  public SortedMap<K, V> lock(Connection connection, Collection<String> keys) throws SQLException {
    return read(
        connection, keys, " order by t." + key.getFirst() + " " + Dialect.ORACLE.forUpdate());
  }

  /** Reads rows by the first column of their keys. */
  public SortedMap<K, V> read(Connection connection, Collection<String> keys) throws SQLException {
    return read(connection, keys, "");
  }

  private SortedMap<K, V> read(Connection connection, Collection<String> keys, String end)
      throws SQLException {
    SortedMap<K, V> found = new TreeMap<>();
    for (InList portion : InList.conditions("t." + key.getFirst(), keys)) {
      Sql.list(
          connection,
          row -> put(found, row),
          select() + portion.sql() + end,
          portion.parameters().toArray());
    }
    return found;
  }

  private boolean put(SortedMap<K, V> found, ResultSet row) throws SQLException {
    found.put(readKey.read(row), read.read(row));
    return true;
  }

  /** Statistics of the time when the table was empty must not make Oracle read all of it. */
  private String select() {
    String columns =
        Stream.concat(key.stream(), values.stream())
            .map("t."::concat)
            .collect(Collectors.joining(", "));
    return "select /*+ index(t %1$s_key) */ %2$s from %1$s t where ".formatted(name, columns);
  }

  /** Adds and changes rows: a round trip for each of the two, if there are any. */
  public void put(Connection connection, Changes<K, V> changes) throws SQLException {
    List<String> columns = Stream.concat(values.stream(), key.stream()).toList();
    batch(
        connection,
        "insert into %s (%s) values (?%s)"
            .formatted(name, String.join(", ", columns), ", ?".repeat(columns.size() - 1)),
        changes.added().entrySet().stream().map(row -> row(row.getKey(), row.getValue())).toList());
    batch(
        connection,
        "update %s set %s = ? where %s".formatted(name, String.join(" = ?, ", values), condition()),
        changes.updated().entrySet().stream()
            .map(row -> row(row.getKey(), row.getValue()))
            .toList());
  }

  /** Removes rows that this transaction has locked. */
  public void remove(Connection connection, Changes<K, V> changes) throws SQLException {
    batch(
        connection,
        "delete from %s where %s".formatted(name, condition()),
        changes.removed().stream().map(keyOf).toList());
  }

  private String condition() {
    return String.join(" = ? and ", key) + " = ?";
  }

  private List<Object> row(K id, V value) {
    List<Object> row = new ArrayList<>(valuesOf.apply(value));
    row.addAll(keyOf.apply(id));
    return row;
  }

  private static void batch(Connection connection, String sql, List<List<Object>> rows)
      throws SQLException {
    if (!rows.isEmpty()) {
      Sql.batch(connection, sql, rows);
    }
  }
}
