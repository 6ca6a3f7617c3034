package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.WindowCount;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads slots that hold places in the order of time, by portions. Oracle does not merge the ranges
 * of the index that the states have, but sorts or groups all that a statement selects: a statement
 * about all slots of a configuration would do that even if its first rows suffice.
 *
 * @param max slots of a portion; all slots of one time, or of one window, are in the same portion
 */
record OracleSlotPortions(int max) {
  /** Time of the first slot after a portion: one range of the index for each state. */
  static final String FIRST_BEYOND = PastRemoval.firstBeyond(List.of(0, 1));

  /** One range of the index for each state. */
  private static final String IN_SPAN =
      """
      select s.config_id, s.version, s.scheduled, s.place from slot s
      where s.config_id = ? and s.state = 0 and s.scheduled >= ? and s.scheduled < ?
      union all
      select s.config_id, s.version, s.scheduled, s.place from slot s
      where s.config_id = ? and s.state = 1 and s.scheduled >= ? and s.scheduled < ?
      """;

  static final String SLOTS_IN_ORDER =
      "select t.scheduled, t.place, v.window_micros from (\n"
          + IN_SPAN
          + """
          ) t join slot_config_version v on v.config_id = t.config_id and v.version = t.version
          order by t.scheduled
          """;

  static final String COUNT_WINDOWS =
      "select w.start_micros, count(*) from ("
          + " select t.scheduled - mod(mod(t.scheduled, ?) + ?, ?) as start_micros from (\n"
          + IN_SPAN
          + """
          ) t) w
          group by w.start_micros
          order by w.start_micros fetch first ? rows only
          """;

  /** Returns the time of the first slot after a portion, or the end of the range. */
  private long beyond(Connection connection, int configId, long fromMicros, long untilMicros)
      throws SQLException {
    int limit = max + 1;
    return Sql.first(
            connection,
            row -> row.getLong(1),
            FIRST_BEYOND,
            configId,
            fromMicros,
            untilMicros,
            limit,
            configId,
            fromMicros,
            untilMicros,
            limit,
            max)
        .orElse(untilMicros);
  }

  /** See {@link SlotDialect#visitSlots}. */
  void visitSlots(
      Connection connection,
      ConfigRow row,
      long fromMicros,
      long untilMicros,
      SlotDialect.SlotVisitor visitor)
      throws SQLException {
    long from = fromMicros;
    boolean goesOn = true;
    while (goesOn && from < untilMicros) {
      long beyond = beyond(connection, row.configId(), from, untilMicros);
      long until = beyond > from ? beyond : from + 1;
      try (PreparedStatement statement =
              Sql.prepare(
                  connection,
                  SLOTS_IN_ORDER,
                  row.configId(),
                  from,
                  until,
                  row.configId(),
                  from,
                  until);
          ResultSet rows = statement.executeQuery()) {
        goesOn = SlotDialect.visitAll(rows, visitor);
      }
      from = until;
    }
  }

  /** See {@link SlotDialect#countWindows}. */
  List<WindowCount> countWindows(Connection connection, SlotDialect.WindowRange range)
      throws SQLException {
    long size = range.sizeMicros();
    List<WindowCount> counts = new ArrayList<>();
    long from = range.fromMicros();
    while (counts.size() < range.max() && from < range.untilMicros()) {
      long beyond = beyond(connection, range.configId(), from, range.untilMicros());
      // Whole windows, but at least one.
      long until =
          beyond < range.untilMicros()
              ? Math.min(
                  Math.max(Math.floorDiv(beyond, size) * size, from + size), range.untilMicros())
              : beyond;
      counts.addAll(
          Sql.list(
              connection,
              SlotReads::windowCount,
              COUNT_WINDOWS,
              size,
              size,
              size,
              range.configId(),
              from,
              until,
              range.configId(),
              from,
              until,
              range.max() - counts.size()));
      from = until;
    }
    return counts;
  }
}
