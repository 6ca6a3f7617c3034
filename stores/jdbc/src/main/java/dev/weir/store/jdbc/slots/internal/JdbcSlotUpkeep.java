package dev.weir.store.jdbc.slots.internal;

import dev.weir.core.internal.Micros;
import dev.weir.core.slots.SlotPolicy;
import dev.weir.engine.slots.SlotUpkeep;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Upkeep of slots in PostgreSQL, in small transactions. An advisory lock lets one node at a time do
 * it.
 */
public final class JdbcSlotUpkeep implements SlotUpkeep {
  /** Number of the advisory lock: "weir" in ASCII. */
  private static final long LOCK = 0x77656972L;

  private static final String COUNT_LEAKED =
      """
      select count(*) from (
        select 1 from slot_config c
        cross join lateral (
          select 1 from slot s
          where s.config_id = c.config_id and s.state = 0
            and s.scheduled < ? and s.assigned_at < ? limit ?) as leaked
        limit ?) as counted
      """;

  private static final String LEAKED =
      """
      select s.event_id from slot s
      where s.config_id = ? and s.state = 0 and s.scheduled < ? and s.assigned_at < ?
      order by s.scheduled limit ?
      """;

  /** Earliest time of a configuration's slots in a state: one look-up in the index, not a scan. */
  private static final String FIRST_IN_STATE =
      "(select min(s.scheduled) from slot s where s.config_id = c.config_id and s.state = %d)";

  private static final String FIRST_ASSIGNED = FIRST_IN_STATE.formatted(0);

  private static final String FIRST_SLOT =
      IntStream.rangeClosed(0, 3)
          .mapToObj(FIRST_IN_STATE::formatted)
          .collect(Collectors.joining(", ", "least(", ")"));

  private static final String FIRST_WINDOW =
      "(select min(w.start_micros) from slot_window w"
          + " where w.config_id = c.config_id and w.grid = c.grid)";

  private static final String CONFIGS_BEFORE =
      "select " + ConfigRow.COLUMNS + " from slot_config c where %s < ? order by c.config_id";

  private static final String CONFIGS_WITH_LEAKED = CONFIGS_BEFORE.formatted(FIRST_ASSIGNED);

  private static final String CONFIGS_WITH_PAST =
      CONFIGS_BEFORE.formatted("least(" + FIRST_WINDOW + ", " + FIRST_SLOT + ")");

  private static final String SLOTS_LEFT =
      "select 1 from slot_config c where c.config_id = ? and " + FIRST_SLOT + " < ?";

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

  private final Transactions transactions;
  private final StoreClock clock;

  public JdbcSlotUpkeep(DataSource database, StoreClock clock) {
    this.transactions = new Transactions(database, () -> {});
    this.clock = clock;
  }

  @Override
  public boolean runExclusively(Runnable work) {
    return transactions.runExclusively(LOCK, work);
  }

  @Override
  public long countLeaked(Instant time, int max) {
    long before = Micros.clamped(time);
    return transactions.read(
        connection ->
            Sql.first(connection, row -> row.getLong(1), COUNT_LEAKED, before, before, max, max)
                .orElseThrow());
  }

  @Override
  public int reclaim(Instant time, int max) {
    long before = Micros.clamped(time);
    int reclaimed = 0;
    for (ConfigRow configRow : configRows(CONFIGS_WITH_LEAKED, before)) {
      String[] eventIds = leaked(configRow, before, max - reclaimed);
      if (eventIds.length > 0) {
        reclaimed +=
            transactions.write(
                connection -> SlotEndings.reclaim(connection, clock, configRow, eventIds, before));
      }
    }
    return reclaimed;
  }

  private String[] leaked(ConfigRow configRow, long before, int max) {
    return transactions.read(
        connection ->
            Sql.list(
                    connection,
                    row -> row.getString(1),
                    LEAKED,
                    configRow.configId(),
                    before,
                    before,
                    max)
                .toArray(String[]::new));
  }

  @Override
  public int removePast(Instant time, int max) {
    long before = Micros.clamped(time);
    int removed = 0;
    for (ConfigRow configRow : configRows(CONFIGS_WITH_PAST, before)) {
      if (removed < max) {
        removed += removeSlots(configRow, before, max - removed);
        int windows = max;
        while (windows == max) {
          windows =
              transactions.write(connection -> removeWindows(connection, configRow, before, max));
        }
      }
    }
    return removed;
  }

  private int removeSlots(ConfigRow configRow, long before, int max) {
    int removed = 0;
    long from = Long.MIN_VALUE;
    boolean isLast = false;
    while (removed < max && !isLast) {
      long begin = from;
      PastRemoval.Step step =
          transactions.write(
              connection ->
                  PastRemoval.step(connection, clock, configRow.name(), begin, before, max));
      removed += step.removed();
      from = step.untilMicros();
      isLast = step.isLast();
    }
    return removed;
  }

  @Override
  public int tidy(int max) {
    return transactions.write(
        connection -> {
          int removed = 0;
          for (String sql : REMOVE_OLD_GRIDS) {
            removed += Sql.update(connection, sql, max, max);
          }
          return removed;
        });
  }

  @Override
  public Instant now() {
    return transactions.read(connection -> Micros.instant(Sql.now(connection, clock)));
  }

  /** Removes windows that ended before a time, under the lock, unless slots remain in them. */
  private int removeWindows(Connection connection, ConfigRow seen, long before, int max)
      throws SQLException {
    ConfigRow configRow = ConfigRow.lock(connection, clock, seen.name()).orElseThrow();
    SlotPolicy policy = ConfigVersionRow.inForce(connection, configRow).policy();
    long cut = policy.windowStart(before);
    if (Sql.first(connection, row -> true, SLOTS_LEFT, configRow.configId(), cut).isPresent()) {
      return 0;
    }
    int id = configRow.configId();
    int grid = configRow.grid();
    int windows = Sql.update(connection, REMOVE_WINDOWS, id, grid, cut, max);
    // A run starts with a window that is at least partly open.
    long open = policy.windowStart(Math.max(cut, policy.calendar().openAt(cut).fromMicros()));
    Sql.update(connection, REMOVE_RUNS, id, grid, open, open);
    Sql.update(connection, CUT_RUN, open, id, grid, open, open);
    // Even if no window was stored: cached views that show the removed slots are stale now.
    Sql.update(connection, "update slot_config set seq = seq + 1 where config_id = ?", id);
    return windows;
  }

  private List<ConfigRow> configRows(String sql, Object... parameters) {
    return transactions.read(
        connection -> Sql.list(connection, row -> ConfigRow.read(row, clock), sql, parameters));
  }
}
