package dev.weir.store.jdbc.slots.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A condition that a column has one of many values, for databases without arrays.
 *
 * <p>The number of parameters is rounded up to a power of two by repeating the last value, so that
 * there are only a few different statements for the database to parse and keep.
 *
 * @param sql the condition, in parentheses
 * @param parameters its parameters, in order
 */
record InList(String sql, List<Object> parameters) {
  /** Oracle's limit of the values of one list. */
  private static final int MAX_VALUES = 1_000;

  /**
   * Values of one statement. Neither the driver nor the database takes any number of parameters:
   * more than 32,767 fail in one or the other, depending on their versions.
   */
  static final int MAX_A_STATEMENT = 8_192;

  /** Returns a condition for each portion of the values; none if there are no values. */
  static List<InList> portions(String column, Collection<?> values) {
    List<Object> all = new ArrayList<>(values);
    List<InList> portions = new ArrayList<>();
    for (int from = 0; from < all.size(); from += MAX_A_STATEMENT) {
      portions.add(of(column, all.subList(from, Math.min(all.size(), from + MAX_A_STATEMENT))));
    }
    return portions;
  }

  private static InList of(String column, List<Object> values) {
    List<Object> padded = new ArrayList<>(values);
    int size = Integer.highestOneBit(2 * padded.size() - 1);
    padded.addAll(Collections.nCopies(size - padded.size(), padded.getLast()));
    List<String> lists = new ArrayList<>();
    for (int from = 0; from < size; from += MAX_VALUES) {
      int count = Math.min(MAX_VALUES, size - from);
      lists.add(
          column
              + Collections.nCopies(count, "?").stream()
                  .collect(Collectors.joining(", ", " in (", ")")));
    }
    return new InList(
        lists.stream().collect(Collectors.joining(" or ", "(", ")")),
        Collections.unmodifiableList(padded));
  }
}
