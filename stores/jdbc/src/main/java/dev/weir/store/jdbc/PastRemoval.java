package dev.weir.store.jdbc;

import dev.weir.core.slots.Terms;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Removes old slots, a window with all its slots or not at all: a window that is counted anew from
 * its slots must not have lost some of them.
 */
final class PastRemoval {
  private static final String FIRST =
      IntStream.rangeClosed(0, 3)
          .mapToObj(
              """
              (select min(s.scheduled) from slot s
               where s.config_id = ? and s.state = %d and s.scheduled >= ?)
              """
                  ::formatted)
          .collect(
              Collectors.joining(
                  ", ", "select at from (select least(", ") as at) as first where at < ?"));

  /** The time of the first slot beyond a portion: one range of the index for each state. */
  private static final String FIRST_BEYOND =
      IntStream.rangeClosed(0, 3)
          .mapToObj(
              """
              (select s.scheduled from slot s
               where s.config_id = ? and s.state = %d and s.scheduled >= ? and s.scheduled < ?
               order by s.scheduled limit ?)
              """
                  ::formatted)
          .collect(Collectors.joining("union all\n", "", "order by scheduled offset ? limit 1"));

  private static final String WINDOW_START = "scheduled - mod(mod(scheduled, ?) + ?, ?)";

  private static final String IN_SPAN =
      " from slot where config_id = ? and state in (0, 1, 2, 3)"
          + " and scheduled >= ? and scheduled < ?";

  private static final String YOUNG =
      "select distinct " + WINDOW_START + IN_SPAN + " and assigned_at >= ?";

  private static final String REMOVE =
      "delete" + IN_SPAN + " and assigned_at < ? and " + WINDOW_START + " <> all(?::bigint[])";

  private PastRemoval() {}

  /**
   * What came of a step.
   *
   * @param untilMicros up to which time slots were looked at
   * @param isLast whether there is nothing behind it that is old enough
   */
  record Step(int removed, long untilMicros, boolean isLast) {}

  /**
   * Removes the slots of windows that ended before a time and hold none that was assigned after it.
   * It looks at whole windows, with {@code most} slots at most or just one window.
   */
  static Step step(
      Connection connection, StoreClock clock, String name, long from, long before, int most)
      throws SQLException {
    BookRow book = BookRow.find(connection, clock, name).orElseThrow();
    Terms terms = ConfigRow.inForce(connection, book).terms();
    long size = terms.windowMicros();
    long cut = terms.windowStart(before);
    int id = book.configId();
    Optional<Long> first =
        Sql.first(
            connection, row -> row.getLong(1), FIRST, id, from, id, from, id, from, id, from, cut);
    if (first.isEmpty()) {
      return new Step(0, cut, true);
    }
    long start = terms.windowStart(first.get());
    long end = end(connection, terms, id, start, cut, most);
    List<Long> young = young(connection, id, size, start, end, before);
    // A slot that is given for one of these windows from now on is as if given after the removal.
    int removed =
        Sql.update(
            connection,
            REMOVE,
            id,
            start,
            end,
            before,
            size,
            size,
            size,
            young.stream().mapToLong(Long::longValue).toArray());
    return new Step(removed, end, end >= cut);
  }

  private static long end(
      Connection connection, Terms terms, int id, long start, long cut, int most)
      throws SQLException {
    int limit = most + 1;
    return Sql.first(
            connection,
            row -> row.getLong(1),
            FIRST_BEYOND,
            id,
            start,
            cut,
            limit,
            id,
            start,
            cut,
            limit,
            id,
            start,
            cut,
            limit,
            id,
            start,
            cut,
            limit,
            most)
        .map(time -> Math.max(terms.windowStart(time), start + terms.windowMicros()))
        .orElse(cut);
  }

  /** The windows with slots that are too young. */
  private static List<Long> young(
      Connection connection, int id, long size, long start, long end, long before)
      throws SQLException {
    return Sql.list(
        connection, row -> row.getLong(1), YOUNG, size, size, size, id, start, end, before);
  }
}
