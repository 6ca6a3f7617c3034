package dev.weir.store.jdbc.slots.internal;

import dev.weir.core.slots.SlotPolicy;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Removes old slots, always all slots of a window together: a window that is rebuilt from its slots
 * must not have lost some of them.
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

  /** Time of the first slot after a portion: one range of the index for each state. */
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
   * The result of a step.
   *
   * @param untilMicros time until which slots were examined
   * @param isLast whether no later slot is old enough
   */
  record Step(int removed, long untilMicros, boolean isLast) {}

  /**
   * Removes the slots of windows that ended before a time and have no slot that was assigned after
   * it. Examines whole windows with up to {@code max} slots, but at least one window.
   */
  static Step step(
      Connection connection, StoreClock clock, String name, long from, long before, int max)
      throws SQLException {
    ConfigRow configRow = ConfigRow.find(connection, clock, name).orElseThrow();
    SlotPolicy policy = ConfigVersionRow.inForce(connection, configRow).policy();
    long size = policy.windowMicros();
    long cut = policy.windowStart(before);
    int id = configRow.configId();
    Optional<Long> first =
        Sql.first(
            connection, row -> row.getLong(1), FIRST, id, from, id, from, id, from, id, from, cut);
    if (first.isEmpty()) {
      return new Step(0, cut, true);
    }
    long start = policy.windowStart(first.get());
    long end = end(connection, policy, id, start, cut, max);
    List<Long> young = young(connection, id, size, start, end, before);
    // A slot assigned in one of these windows from now on counts as assigned after the removal.
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
      Connection connection, SlotPolicy policy, int id, long start, long cut, int max)
      throws SQLException {
    int limit = max + 1;
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
            max)
        .map(time -> Math.max(policy.windowStart(time), start + policy.windowMicros()))
        .orElse(cut);
  }

  /** Returns the starts of windows with slots that are too young to remove. */
  private static List<Long> young(
      Connection connection, int id, long size, long start, long end, long before)
      throws SQLException {
    return Sql.list(
        connection, row -> row.getLong(1), YOUNG, size, size, size, id, start, end, before);
  }
}
