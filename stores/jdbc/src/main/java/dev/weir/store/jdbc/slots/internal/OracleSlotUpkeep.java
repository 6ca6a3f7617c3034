package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.jdbc.internal.ExclusiveTask;
import dev.weir.store.jdbc.internal.InList;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Upkeep of slots in Oracle. */
final class OracleSlotUpkeep implements SlotUpkeepDialect {
  static final SlotUpkeepDialect INSTANCE = new OracleSlotUpkeep();

  private static final String COUNT_LEAKED =
      """
      select count(*) from (
        select s.event_id from slot s
        where s.config_id = ? and s.state = 0 and s.scheduled < ? and s.assigned_at < ?
          and exists (select 1 from slot o where o.config_id = s.config_id and o.state = 1)
        fetch first ? rows only) l
      """;

  private static final String IN_SPAN =
      " from slot s where s.config_id = ? and s.state in (0, 1, 2, 3) and s.scheduled >= ?"
          + " and s.scheduled < ?";

  private static final String REMOVE_RUNS =
      "delete from slot_occupancy where config_id = ? and grid = ? and kind = 2"
          + " and start_micros < ? and until_micros <= ?";

  private static final String CUT_RUN =
      "update slot_occupancy set start_micros = ? where config_id = ? and grid = ? and kind = 2"
          + " and start_micros < ? and until_micros > ?";

  private static final OracleRange WINDOWS_BEFORE =
      OracleRange.of(
          "slot_occupancy",
          "start_micros",
          "config_id = ? and grid = ? and kind = 1 and start_micros < ?");

  /** Runs that were removed, see {@link OccupancyRow}: found by the index of planning. */
  private static final OracleRange EMPTY_RUNS =
      OracleRange.of(
          "slot_occupancy",
          "start_micros",
          "config_id = ? and grid = ? and kind = 2 and plan_micros is null");

  private static final OracleRange OCCUPANCY_OF_GRID =
      OracleRange.of("slot_occupancy", "start_micros", "config_id = ? and grid = ? and kind = ?");

  private static final OracleRange SPANS_OF_GRID =
      OracleRange.of("counted_span", "from_micros", "config_id = ? and grid = ?");

  /** The lock is in grid 0. */
  private static final String OLDEST_GRID =
      "select min(o.grid) from slot_occupancy o"
          + " where o.config_id = ? and o.grid > 0 and o.grid < ?";

  private static final String OLDEST_GRID_OF_SPANS =
      "select min(o.grid) from counted_span o where o.config_id = ? and o.grid < ?";

  private static final String LOCK_CONFIG =
      OracleLocks.LOCK_CONFIGS + "c.config_id = ?)" + OracleLocks.SKIP;

  private static final String GRIDS =
      "select c.config_id, c.grid from slot_config c order by c.config_id";

  private OracleSlotUpkeep() {}

  @Override
  public long countLeaked(Connection connection, long beforeMicros, int max) throws SQLException {
    long counted = 0;
    for (int configId : configIds(connection)) {
      if (counted < max) {
        counted +=
            Sql.first(
                    connection,
                    row -> row.getLong(1),
                    COUNT_LEAKED,
                    configId,
                    beforeMicros,
                    beforeMicros,
                    max - counted)
                .orElseThrow();
      }
    }
    return counted;
  }

  private static List<Integer> configIds(Connection connection) throws SQLException {
    return Sql.list(
        connection,
        row -> row.getInt(1),
        "select c.config_id from slot_config c order by c.config_id");
  }

  @Override
  public int removeSlots(Connection connection, RemovedSlots slots) throws SQLException {
    // The size is part of the text: the expression may be repeated, and there are few sizes.
    String windowStart =
        "s.scheduled - mod(mod(s.scheduled, $size) + $size, $size)"
            .replace("$size", Long.toString(slots.sizeMicros()));
    List<Long> young =
        Sql.list(
            connection,
            row -> row.getLong(1),
            "select distinct " + windowStart + IN_SPAN + " and s.assigned_at >= ? order by 1",
            slots.configId(),
            slots.fromMicros(),
            slots.untilMicros(),
            slots.beforeMicros());
    // A slot assigned in one of these windows from now on counts as assigned after the removal.
    String remove = "delete" + IN_SPAN + " and s.assigned_at < ?";
    int removed = 0;
    long from = slots.fromMicros();
    for (InList kept : InList.conditions(windowStart, young)) {
      // Portions are in the order of time, so each has a span of its own.
      long until = (Long) kept.parameters().getLast() + slots.sizeMicros();
      List<Object> parameters =
          new ArrayList<>(List.of(slots.configId(), from, until, slots.beforeMicros()));
      parameters.addAll(kept.parameters());
      removed +=
          Sql.update(connection, remove + " and not (" + kept.sql() + ")", parameters.toArray());
      from = until;
    }
    return removed
        + Sql.update(
            connection, remove, slots.configId(), from, slots.untilMicros(), slots.beforeMicros());
  }

  @Override
  public int removeWindows(Connection connection, ConfigRow row, long cutMicros, int max)
      throws SQLException {
    return WINDOWS_BEFORE.remove(connection, max, row.configId(), row.grid(), cutMicros);
  }

  @Override
  public void cutRuns(Connection connection, ConfigRow row, long cutMicros) throws SQLException {
    int id = row.configId();
    int grid = row.grid();
    Sql.update(connection, REMOVE_RUNS, id, grid, cutMicros, cutMicros);
    // An empty run, which was removed, may have the begin that the cut gives to the next.
    EMPTY_RUNS.remove(connection, Integer.MAX_VALUE, id, grid);
    Sql.update(connection, CUT_RUN, cutMicros, id, grid, cutMicros, cutMicros);
  }

  /**
   * Goes from configuration to configuration, because each has few rows to remove, or none. Each of
   * them is a transaction of its own, so that it is locked while its own rows are removed, and not
   * those of all others.
   */
  @Override
  public int removeUnused(ExclusiveTask task, int max) {
    int occupancy = 0;
    int spans = 0;
    for (Grid grid : task.read(OracleSlotUpkeep::gridsWithUnused)) {
      int maxOccupancy = max - occupancy;
      int maxSpans = max - spans;
      occupancy += task.write(connection -> removeOldOccupancy(connection, grid, maxOccupancy));
      spans += task.write(connection -> removeOldSpans(connection, grid, maxSpans));
      removeEmptyRuns(task, grid, max);
    }
    return occupancy + spans;
  }

  /** The layout of the windows of a configuration that is in force. */
  private record Grid(int configId, int grid) {
    static Grid read(ResultSet row) throws SQLException {
      return new Grid(row.getInt(1), row.getInt(2));
    }
  }

  private static List<Grid> gridsWithUnused(Connection connection) throws SQLException {
    List<Grid> found = new ArrayList<>();
    for (Grid each : Sql.list(connection, Grid::read, GRIDS)) {
      if (oldest(connection, OLDEST_GRID, each).isPresent()
          || oldest(connection, OLDEST_GRID_OF_SPANS, each).isPresent()
          || EMPTY_RUNS.exists(connection, each.configId(), each.grid())) {
        found.add(each);
      }
    }
    return found;
  }

  private static int removeOldOccupancy(Connection connection, Grid grid, int max)
      throws SQLException {
    int id = grid.configId();
    int removed = 0;
    Optional<Integer> oldest = oldest(connection, OLDEST_GRID, grid);
    while (oldest.isPresent() && removed < max) {
      int old = oldest.get();
      removed += OCCUPANCY_OF_GRID.remove(connection, max - removed, id, old, OccupancyRow.WINDOW);
      removed += OCCUPANCY_OF_GRID.remove(connection, max - removed, id, old, OccupancyRow.RUN);
      oldest = oldest(connection, OLDEST_GRID, grid);
    }
    return removed;
  }

  private static int removeOldSpans(Connection connection, Grid grid, int max) throws SQLException {
    int removed = 0;
    Optional<Integer> oldest = oldest(connection, OLDEST_GRID_OF_SPANS, grid);
    while (oldest.isPresent() && removed < max) {
      removed += SPANS_OF_GRID.remove(connection, max - removed, grid.configId(), oldest.get());
      oldest = oldest(connection, OLDEST_GRID_OF_SPANS, grid);
    }
    return removed;
  }

  private static Optional<Integer> oldest(Connection connection, String sql, Grid grid)
      throws SQLException {
    return Sql.first(
            connection,
            row -> {
              int oldest = row.getInt(1);
              return row.wasNull() ? Optional.<Integer>empty() : Optional.of(oldest);
            },
            sql,
            grid.configId(),
            grid.grid())
        .orElseThrow();
  }

  /** Under the lock, because a batch may be about to fill an empty run. */
  private static void removeEmptyRuns(ExclusiveTask task, Grid grid, int max) {
    int id = grid.configId();
    task.write(
        connection ->
            Sql.first(connection, row -> true, LOCK_CONFIG, id).isPresent()
                ? EMPTY_RUNS.remove(connection, max, id, grid.grid())
                : 0);
  }
}
