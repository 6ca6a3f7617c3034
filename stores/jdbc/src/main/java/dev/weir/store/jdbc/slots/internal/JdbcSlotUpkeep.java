package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotUpkeep;
import dev.weir.slots.planning.internal.OpenTimes;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.ExclusiveTask;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** Upkeep of slots in the database, in small transactions. A lock lets one node at a time do it. */
public final class JdbcSlotUpkeep implements SlotUpkeep {
  /** Number of the lock: "weir" in ASCII. */
  private static final long LOCK = 0x77656972L;

  private static final String LEAKED =
      """
      select s.event_id from slot s
      where s.config_id = ? and s.state = 0 and s.scheduled < ? and s.assigned_at < ?
      order by s.scheduled fetch first ? rows only
      """;

  /**
   * Earliest time of a configuration's slots in a state: one look-up in the index, not a scan.
   * Never null, because the least of several values is null in Oracle if one of them is.
   */
  private static final String FIRST_IN_STATE =
      "coalesce((select min(s.scheduled) from slot s"
          + " where s.config_id = c.config_id and s.state = %s), 9223372036854775807)";

  private static final String FIRST_ASSIGNED = FIRST_IN_STATE.formatted(0);

  private static final String FIRST_SLOT =
      IntStream.rangeClosed(0, 3)
          .mapToObj(FIRST_IN_STATE::formatted)
          .collect(Collectors.joining(", ", "least(", ")"));

  private static final String FIRST_WINDOW =
      "coalesce((select min(w.start_micros) from slot_window w"
          + " where w.config_id = c.config_id and w.grid = c.grid), 9223372036854775807)";

  private static final String BEFORE = "where %s < ? order by c.config_id";

  private static final String WITH_LEAKED = BEFORE.formatted(FIRST_ASSIGNED);

  private static final String WITH_PAST =
      BEFORE.formatted("least(" + FIRST_WINDOW + ", " + FIRST_SLOT + ")");

  private static final String SLOTS_LEFT =
      "select 1 from slot_config c where c.config_id = ? and " + FIRST_SLOT + " < ?";

  private final SlotDialect dialect;
  private final ExclusiveTask task;
  private final StoreClock clock;

  /** Upkeep in PostgreSQL. */
  public JdbcSlotUpkeep(DataSource database, StoreClock clock) {
    this(Dialect.POSTGRESQL, database, clock);
  }

  public JdbcSlotUpkeep(Dialect dialect, DataSource database, StoreClock clock) {
    this.dialect = SlotDialect.of(dialect);
    this.task = new ExclusiveTask(dialect, new Transactions(dialect, database, () -> {}), LOCK);
    this.clock = clock;
  }

  @Override
  public boolean runExclusively(Runnable work) {
    return task.run(work);
  }

  @Override
  public long countLeaked(Instant time, int max) {
    long before = Micros.clamped(time);
    return task.read(connection -> dialect.upkeep().countLeaked(connection, before, max));
  }

  @Override
  public int reclaim(Instant time, int max) {
    long before = Micros.clamped(time);
    int reclaimed = 0;
    for (ConfigRow configRow : configRows(WITH_LEAKED, before)) {
      List<String> eventIds = leaked(configRow, before, max - reclaimed);
      if (!eventIds.isEmpty()) {
        reclaimed +=
            task.write(
                connection ->
                    SlotEndings.reclaim(dialect, connection, clock, configRow, eventIds, before));
      }
    }
    return reclaimed;
  }

  private List<String> leaked(ConfigRow configRow, long before, int max) {
    return task.read(
        connection ->
            Sql.list(
                connection,
                row -> row.getString(1),
                LEAKED,
                configRow.configId(),
                before,
                before,
                max));
  }

  @Override
  public int removePast(Instant time, int max) {
    long before = Micros.clamped(time);
    int removed = 0;
    for (ConfigRow configRow : configRows(WITH_PAST, before)) {
      if (removed < max) {
        removed += removeSlots(configRow, before, max - removed);
        int windows = max;
        while (windows == max) {
          windows = task.write(connection -> removeWindows(connection, configRow, before, max));
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
          task.write(
              connection ->
                  PastRemoval.step(
                      dialect, connection, clock, configRow.name(), begin, before, max));
      removed += step.removed();
      from = step.untilMicros();
      isLast = step.isLast();
    }
    return removed;
  }

  @Override
  public int tidy(int max) {
    return dialect.upkeep().removeUnused(task, max);
  }

  @Override
  public Instant now() {
    return task.read(
        connection -> Micros.instant(ClockReading.now(connection, dialect.database(), clock)));
  }

  /** Removes windows that ended before a time, under the lock, unless slots remain in them. */
  private int removeWindows(Connection connection, ConfigRow seen, long before, int max)
      throws SQLException {
    ConfigRow configRow = dialect.lock(connection, clock, seen.name()).orElseThrow();
    SlotPolicy policy = ConfigVersionRow.inForce(connection, configRow).policy();
    long cut = policy.windowStart(before);
    if (Sql.first(connection, row -> true, SLOTS_LEFT, configRow.configId(), cut).isPresent()) {
      return 0;
    }
    int windows = dialect.upkeep().removeWindows(connection, configRow, cut, max);
    // A run starts with a window that is at least partly open.
    long open =
        policy.windowStart(Math.max(cut, OpenTimes.at(policy.calendar(), cut).fromMicros()));
    dialect.upkeep().cutRuns(connection, configRow, open);
    // Even if no window was stored: cached views that show the removed slots are stale now.
    dialect.advance(connection, configRow);
    return windows;
  }

  private List<ConfigRow> configRows(String condition, Object... parameters) {
    return task.read(
        connection ->
            Sql.list(
                connection,
                row -> ConfigRow.read(row, dialect.database(), clock),
                dialect.selectConfigs() + condition,
                parameters));
  }
}
