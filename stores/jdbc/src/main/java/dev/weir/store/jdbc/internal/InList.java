package dev.weir.store.jdbc.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Statements, or conditions, about rows whose column has one of many values, for databases without
 * arrays.
 *
 * <p>The number of parameters is rounded up to a power of two by repeating the last value, so that
 * there are only a few different statements for the database to parse and keep. Queries may
 * therefore return a row more than once.
 *
 * @param sql the query, or the condition
 * @param parameters its parameters, in order
 */
public record InList(String sql, List<Object> parameters) {
  /** Oracle's limit of the values of one list. */
  public static final int MAX_VALUES = 1_000;

  /**
   * Values of one statement. Neither the driver nor the database takes any number of parameters:
   * more than 32,767 fail in one or the other, depending on their versions.
   */
  public static final int MAX_A_STATEMENT = 8_192;

  /** Returns a condition for each 1,000 of the values; none if there are no values. */
  public static List<InList> conditions(String column, Collection<?> values) {
    return portions(values, MAX_VALUES).stream()
        .map(portion -> new InList(condition(column, portion.size()), portion))
        .toList();
  }

  /**
   * Returns a query for each 8,192 of the values; none if there are no values. The lists of a query
   * are joined by {@code union all}, so that each of them is looked up in an index: that of
   * conditions joined by {@code or} is left to the optimizer.
   *
   * @param select the query up to its condition
   */
  public static List<InList> queries(String select, String column, Collection<?> values) {
    return portions(values, MAX_A_STATEMENT).stream()
        .map(portion -> new InList(union(select, column, portion.size()), portion))
        .toList();
  }

  private static List<List<Object>> portions(Collection<?> values, int max) {
    List<Object> all = new ArrayList<>(values);
    List<List<Object>> portions = new ArrayList<>();
    for (int from = 0; from < all.size(); from += max) {
      List<Object> portion = new ArrayList<>(all.subList(from, Math.min(all.size(), from + max)));
      int size = Math.min(max, Integer.highestOneBit(2 * portion.size() - 1));
      portion.addAll(Collections.nCopies(size - portion.size(), portion.getLast()));
      portions.add(Collections.unmodifiableList(portion));
    }
    return portions;
  }

  private static String union(String select, String column, int size) {
    List<String> queries = new ArrayList<>();
    for (int from = 0; from < size; from += MAX_VALUES) {
      queries.add(select + condition(column, Math.min(MAX_VALUES, size - from)));
    }
    return String.join(" union all ", queries);
  }

  private static String condition(String column, int size) {
    return column
        + Collections.nCopies(size, "?").stream().collect(Collectors.joining(", ", " in (", ")"));
  }
}
