package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.jdbc.internal.ExclusiveTask;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Upkeep of slots in PostgreSQL. */
final class PostgresqlSlotUpkeep implements SlotUpkeepDialect {
  static final SlotUpkeepDialect INSTANCE = new PostgresqlSlotUpkeep();

  private static final String COUNT_LEAKED =
      """
      select count(*) from (
        select 1 from slot_config c
        cross join lateral (
          select 1 from slot s
          where s.config_id = c.config_id and s.state = 0
            and s.scheduled < ? and s.assigned_at < ? limit ?) as leaked
        where exists (select from slot o where o.config_id = c.config_id and o.state = 1 offset 0)
        limit ?) as counted
      """;

  private static final String WINDOW_START = "scheduled - mod(mod(scheduled, ?) + ?, ?)";

  private static final String IN_SPAN =
      " from slot where config_id = ? and state in (0, 1, 2, 3)"
          + " and scheduled >= ? and scheduled < ?";

  /** The starts of windows with slots that are too young to remove. */
  private static final String YOUNG =
      "select distinct " + WINDOW_START + IN_SPAN + " and assigned_at >= ?";

  private static final String REMOVE_SLOTS =
      "delete" + IN_SPAN + " and assigned_at < ? and " + WINDOW_START + " <> all(?::bigint[])";

  private static final String REMOVE_WINDOWS =
      """
      delete from slot_window where ctid = any(array(
        select w.ctid from slot_window w
        where w.config_id = ? and w.grid = ? and w.start_micros < ?
        order by w.start_micros limit ?))
      """;

  private static final String REMOVE_RUNS =
      "delete from full_run where config_id = ? and grid = ? and from_micros < ?"
          + " and until_micros <= ?";

  private static final String CUT_RUN =
      """
      update full_run set from_micros = ?
      where config_id = ? and grid = ? and from_micros < ? and until_micros > ?
      """;

  /** Deletes rows of earlier grids, which are never read again. */
  private static final String REMOVE_OLD =
      """
      delete from %1$s where ctid = any(array(
        select old.id from slot_config c
        cross join lateral (
          select ctid as id from %1$s
          where config_id = c.config_id and grid < c.grid
          order by grid, %2$s limit ?) as old
        limit ?))
      """;

  private static final List<String> REMOVE_OLD_GRIDS =
      List.of(
          REMOVE_OLD.formatted("slot_window", "start_micros"),
          REMOVE_OLD.formatted("full_run", "from_micros"),
          REMOVE_OLD.formatted("counted_span", "from_micros"));

  private PostgresqlSlotUpkeep() {}

  @Override
  public long countLeaked(Connection connection, long beforeMicros, int max) throws SQLException {
    return Sql.first(
            connection, row -> row.getLong(1), COUNT_LEAKED, beforeMicros, beforeMicros, max, max)
        .orElseThrow();
  }

  @Override
  public int removeSlots(Connection connection, RemovedSlots slots) throws SQLException {
    long size = slots.sizeMicros();
    List<Long> young =
        Sql.list(
            connection,
            row -> row.getLong(1),
            YOUNG,
            size,
            size,
            size,
            slots.configId(),
            slots.fromMicros(),
            slots.untilMicros(),
            slots.beforeMicros());
    // A slot assigned in one of these windows from now on counts as assigned after the removal.
    return Sql.update(
        connection,
        REMOVE_SLOTS,
        slots.configId(),
        slots.fromMicros(),
        slots.untilMicros(),
        slots.beforeMicros(),
        size,
        size,
        size,
        young.stream().mapToLong(Long::longValue).toArray());
  }

  @Override
  public int removeWindows(Connection connection, ConfigRow row, long cutMicros, int max)
      throws SQLException {
    return Sql.update(connection, REMOVE_WINDOWS, row.configId(), row.grid(), cutMicros, max);
  }

  @Override
  public void cutRuns(Connection connection, ConfigRow row, long cutMicros) throws SQLException {
    int id = row.configId();
    int grid = row.grid();
    Sql.update(connection, REMOVE_RUNS, id, grid, cutMicros, cutMicros);
    Sql.update(connection, CUT_RUN, cutMicros, id, grid, cutMicros, cutMicros);
  }

  @Override
  public int removeUnused(ExclusiveTask task, int max) {
    int removed = 0;
    for (String sql : REMOVE_OLD_GRIDS) {
      removed += task.write(connection -> Sql.update(connection, sql, max, max));
    }
    return removed;
  }
}
