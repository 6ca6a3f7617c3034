package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.SlotPolicy;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Removes old slots, always all slots of a window together: a window that is rebuilt from its slots
 * must not have lost some of them.
 */
final class PastRemoval {
  private static final List<Integer> STATES = List.of(0, 1, 2, 3);

  /** Time of the first slot, or {@link Long#MAX_VALUE}: one look-up in the index for each state. */
  private static final String FIRST =
      STATES.stream()
          .map(
              """
              coalesce((select min(s.scheduled) from slot s
                        where s.config_id = c.config_id and s.state = %s and s.scheduled >= ?),
                       9223372036854775807)
              """
                  ::formatted)
          .collect(
              Collectors.joining(
                  ", ", "select least(", ") from slot_config c where c.config_id = ?"));

  private static final String FIRST_BEYOND = firstBeyond(STATES);

  private PastRemoval() {}

  /**
   * Returns a query of the time of the first slot after a number of them: one range of the index
   * for each state. The parameters of each range are the configuration, begin, end, and one more
   * than the number; the last parameter is the number.
   */
  static String firstBeyond(List<Integer> states) {
    return states.stream()
        .map(
            """
            select r%1$s.scheduled from (
              select s.scheduled from slot s
              where s.config_id = ? and s.state = %1$s and s.scheduled >= ? and s.scheduled < ?
              order by s.config_id, s.state, s.scheduled fetch first ? rows only) r%1$s
            """
                ::formatted)
        .collect(
            Collectors.joining(
                "union all\n",
                "select t.scheduled from (\n",
                ") t order by t.scheduled offset ? rows fetch first 1 rows only"));
  }

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
      SlotDialect dialect,
      Connection connection,
      StoreClock clock,
      String name,
      long from,
      long before,
      int max)
      throws SQLException {
    ConfigRow configRow = dialect.find(connection, clock, name).orElseThrow();
    SlotPolicy policy = ConfigVersionRow.inForce(connection, configRow).policy();
    long cut = policy.windowStart(before);
    int id = configRow.configId();
    long first =
        Sql.first(connection, row -> row.getLong(1), FIRST, from, from, from, from, id)
            .orElseThrow();
    if (first >= cut) {
      return new Step(0, cut, true);
    }
    long start = policy.windowStart(first);
    long end = end(connection, policy, id, start, cut, max);
    int removed =
        dialect
            .upkeep()
            .removeSlots(
                connection,
                new SlotUpkeepDialect.RemovedSlots(id, policy.windowMicros(), start, end, before));
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
}
