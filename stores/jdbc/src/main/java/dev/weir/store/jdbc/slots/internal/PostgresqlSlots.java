package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotState;
import dev.weir.slots.WindowCount;
import dev.weir.slots.planning.internal.Page;
import dev.weir.slots.planning.internal.Window;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.RandomStep;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Slots in PostgreSQL: arrays as parameters, and several statements in one round trip wherever a
 * batch needs them.
 */
final class PostgresqlSlots implements SlotDialect {
  static final SlotDialect INSTANCE = new PostgresqlSlots();

  private static final String CONFIGS =
      "select c.config_id, c.name, c.version, "
          + ConfigRow.VERSION_MICROS
          + ", c.grid, c.since, c.seq, "
          + Dialect.POSTGRESQL.now()
          + " from slot_config c ";

  /** A sum is in no index: that of numbers, which is in this order, has all configurations. */
  private static final String LOCK_CONFIGS =
      CONFIGS + "where c.name = any(?) order by c.config_id + 0 for update";

  /** Skips configurations that another transaction has locked. */
  private static final String LOCK_FREE_CONFIGS = LOCK_CONFIGS + " skip locked";

  /**
   * Sent in the same round trip, but as a separate statement: it has to see what was committed
   * while waiting for the lock.
   */
  private static final String LOOK_UP =
      "; select " + SlotRow.COLUMNS + SlotRow.FROM + " where s.event_id = any(?)";

  /**
   * Two statements in one round trip: the windows, then the run that covers or touches the begin
   * and those after it.
   */
  private static final String PAGE =
      """
      select start_micros, places, off_grid from slot_window
      where config_id = ? and grid = ? and start_micros >= ? and start_micros < ? and not is_full
      order by start_micros limit ?;
      (select from_micros, until_micros from full_run
       where config_id = ? and grid = ? and from_micros <= ?
       order by from_micros desc limit 1)
      union all
      (select from_micros, until_micros from full_run
       where config_id = ? and grid = ? and from_micros > ?
       order by from_micros limit ?)
      """;

  private static final int SLOTS_A_FETCH = 5_000;

  private static final String SLOTS_IN_STATE =
      """
      (select scheduled, place, version from slot
       where config_id = ? and state = %s and scheduled >= ? and scheduled < ?
       order by scheduled)
      """;

  /**
   * Merges one range of the index for each state, without sorting: each fetch reads only the rows
   * that it returns, so its time does not depend on the number of slots. The limit is never
   * reached; it makes the planner prefer a plan that returns its first rows early. Versions begin
   * at 1 without gaps, so they are the indexes of the array of window sizes.
   */
  private static final String SLOTS_IN_ORDER =
      """
      select scheduled, place,
             ((select array_agg(window_micros order by version)
               from slot_config_version where config_id = ?))[version]
      from (%s union all %s) as s
      order by scheduled limit ?
      """
          .formatted(SLOTS_IN_STATE.formatted(0), SLOTS_IN_STATE.formatted(1));

  /**
   * Goes from window to window by the first slot after each: the cost depends on the number of
   * windows returned, not on the number of slots.
   */
  private static final String COUNT_WINDOWS =
      """
      with recursive query (config_id, size, until_micros) as (
        values (?::int, ?::bigint, ?::bigint)),
      walk (start_micros) as (
        select ?::bigint
        union all
        select next.at - mod(mod(next.at, q.size) + q.size, q.size)
        from walk w cross join query q
        cross join lateral (
          select least(
            (select min(s.scheduled) from slot s
             where s.config_id = q.config_id and s.state = 0
               and s.scheduled >= w.start_micros + q.size),
            (select min(s.scheduled) from slot s
             where s.config_id = q.config_id and s.state = 1
               and s.scheduled >= w.start_micros + q.size)) as at
          offset 0) as next
        where next.at < q.until_micros)
      select w.start_micros, (
        select count(*) from slot s
        where s.config_id = q.config_id and s.state in (0, 1)
          and s.scheduled >= w.start_micros and s.scheduled < w.start_micros + q.size)
      from walk w cross join query q
      offset 1 limit ?
      """;

  private static final String STORE_SPAN =
      """
      insert into counted_span (config_id, grid, from_micros, until_micros) values (?, ?, ?, ?)
      on conflict (config_id, grid, from_micros) do update set until_micros = excluded.until_micros
      """;

  private static final String LIST =
      "select "
          + SlotRow.COLUMNS
          + SlotRow.FROM
          + """
          where s.config_id = (select config_id from slot_config where name = ?)
            and s.state = ? and s.scheduled >= ? and s.scheduled < ?
            and (s.scheduled > ? or s.event_id > ?)
          order by s.scheduled, s.event_id limit ?
          """;

  private static final String LOCK_SLOT =
      "select " + SlotRow.COLUMNS + SlotRow.FROM + " where s.event_id = ? for update of s";

  /** Finds no row if another transaction has locked it. */
  private static final String LOCK_FREE_SLOT = LOCK_SLOT + " skip locked";

  /** By their ids; sums are in no index, see {@link #LOCK_CONFIGS}. */
  private static final String LOCK_LEAKED =
      "select "
          + SlotRow.COLUMNS
          + SlotRow.FROM
          + """
          where s.event_id = any(?) and s.config_id + 0 = ? and s.state + 0 = 0
            and s.scheduled + 0 < ? and s.assigned_at < ?
          order by s.event_id for update of s
          """;

  private static final String SET_STATE = "update slot set state = ? where event_id = any(?)";

  private PostgresqlSlots() {}

  @Override
  public Dialect database() {
    return Dialect.POSTGRESQL;
  }

  @Override
  public String selectConfigs() {
    return CONFIGS;
  }

  @Override
  public Optional<ConfigRow> lock(Connection connection, StoreClock clock, String name)
      throws SQLException {
    return Sql.first(
        connection,
        row -> ConfigRow.read(row, Dialect.POSTGRESQL, clock),
        CONFIGS + "where c.name = ? for update",
        name);
  }

  @Override
  public Optional<ConfigRow> lockIfFree(Connection connection, StoreClock clock, String name)
      throws SQLException {
    return Sql.first(
        connection,
        row -> ConfigRow.read(row, Dialect.POSTGRESQL, clock),
        CONFIGS + "where c.name = ? for update skip locked",
        name);
  }

  @Override
  public int create(Connection connection, String name) throws SQLException {
    return Math.toIntExact(
        Sql.insert(
            connection,
            "config_id",
            "insert into slot_config (name, version, grid, since, seq) values (?, 1, 1, ?, ?)",
            name,
            Long.MIN_VALUE,
            RandomStep.next()));
  }

  @Override
  public void change(Connection connection, ConfigRow next, int version) throws SQLException {
    Sql.update(
        connection,
        "update slot_config set version = ?, grid = ?, since = ?, seq = seq + ?"
            + " where config_id = ?",
        version,
        next.grid(),
        next.sinceMicros(),
        RandomStep.next(),
        next.configId());
  }

  @Override
  public void advance(Connection connection, ConfigRow row) throws SQLException {
    Sql.update(
        connection,
        "update slot_config set seq = seq + ? where config_id = ?",
        RandomStep.next(),
        row.configId());
  }

  @Override
  public List<ConfigRow> lockBatch(Connection connection, BatchLock lock, Map<String, Slot> known)
      throws SQLException {
    String sql = lock.waits() ? LOCK_CONFIGS : LOCK_FREE_CONFIGS;
    String[] names = lock.configNames().toArray(String[]::new);
    if (lock.eventIds().isEmpty()) {
      return Sql.list(connection, row -> configRow(row, lock), sql, (Object) names);
    }
    String[] eventIds = lock.eventIds().toArray(String[]::new);
    try (PreparedStatement statement = Sql.prepare(connection, sql + LOOK_UP, names, eventIds)) {
      statement.execute();
      List<ConfigRow> rows;
      try (ResultSet found = statement.getResultSet()) {
        rows = Sql.list(found, row -> configRow(row, lock));
      }
      statement.getMoreResults();
      try (ResultSet found = statement.getResultSet()) {
        Sql.list(found, SlotRow::read).forEach(slot -> known.put(slot.eventId(), slot));
      }
      return rows;
    }
  }

  private static ConfigRow configRow(ResultSet row, BatchLock lock) throws SQLException {
    return ConfigRow.read(row, Dialect.POSTGRESQL, lock.clock());
  }

  @Override
  public SlotWriter writer(Collection<JdbcWindows> configs) {
    return PostgresqlSlotWriter.of(configs, OptimisticGuard.OPEN);
  }

  @Override
  public SlotWriter advancingWriter(Collection<JdbcWindows> configs, int step) {
    return PostgresqlSlotWriter.of(configs, OptimisticGuard.locked(configs, step));
  }

  @Override
  public OptimisticWriter optimisticWriter(
      Collection<JdbcWindows> configs,
      int step,
      long nowMicros,
      EstimatedClock.Precision precision,
      boolean waits) {
    return PostgresqlSlotWriter.of(
        configs, OptimisticGuard.unlocked(configs, step, nowMicros, precision, waits));
  }

  @Override
  public boolean isOptimistic(List<AssignRequest> requests) {
    return true;
  }

  @Override
  public void readPage(
      Connection connection, PageQuery query, List<Window> windows, List<Page.Run> runs)
      throws SQLException {
    int configId = query.row().configId();
    int grid = query.row().grid();
    long from = query.fromMicros();
    try (PreparedStatement statement =
        Sql.prepare(
            connection,
            PAGE,
            configId,
            grid,
            from,
            query.untilMicros(),
            query.maxWindows(),
            configId,
            grid,
            from,
            configId,
            grid,
            from,
            query.maxRuns())) {
      statement.execute();
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          windows.add(Window.of(rows.getLong(1), rows.getBytes(2), rows.getInt(3)));
        }
      }
      statement.getMoreResults();
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          runs.add(new Page.Run(rows.getLong(1), rows.getLong(2)));
        }
      }
    }
  }

  @Override
  public void visitSlots(
      Connection connection, ConfigRow row, long fromMicros, long untilMicros, SlotVisitor visitor)
      throws SQLException {
    try (PreparedStatement statement =
        Sql.prepare(
            connection,
            SLOTS_IN_ORDER,
            row.configId(),
            row.configId(),
            fromMicros,
            untilMicros,
            row.configId(),
            fromMicros,
            untilMicros,
            Long.MAX_VALUE)) {
      statement.setFetchSize(SLOTS_A_FETCH);
      try (ResultSet rows = statement.executeQuery()) {
        SlotDialect.visitAll(rows, visitor);
      }
    }
  }

  @Override
  public List<WindowCount> countWindows(Connection connection, WindowRange range)
      throws SQLException {
    return Sql.list(
        connection,
        SlotReads::windowCount,
        COUNT_WINDOWS,
        range.configId(),
        range.sizeMicros(),
        range.untilMicros(),
        range.fromMicros() - range.sizeMicros(),
        range.max());
  }

  @Override
  public void storeSpan(Connection connection, ConfigRow row, CountedSpan span)
      throws SQLException {
    Sql.update(
        connection, STORE_SPAN, row.configId(), row.grid(), span.fromMicros(), span.untilMicros());
  }

  @Override
  public boolean isAnyKnown(Connection connection, List<String> eventIds) throws SQLException {
    return Sql.first(
            connection,
            row -> true,
            "select 1 from slot where event_id = any(?) limit 1",
            (Object) eventIds.toArray(String[]::new))
        .isPresent();
  }

  @Override
  public List<Slot> list(Connection connection, SlotRange range) throws SQLException {
    return Sql.list(
        connection,
        SlotRow::read,
        LIST,
        range.configName(),
        SlotRow.code(range.state()),
        range.fromMicros(),
        range.untilMicros(),
        range.fromMicros(),
        range.afterId(),
        range.max());
  }

  @Override
  public Optional<Slot> lockSlot(Connection connection, String eventId, boolean waits)
      throws SQLException {
    return Sql.first(connection, SlotRow::read, waits ? LOCK_SLOT : LOCK_FREE_SLOT, eventId);
  }

  @Override
  public List<Slot> lockLeaked(
      Connection connection, ConfigRow row, List<String> eventIds, long beforeMicros)
      throws SQLException {
    return Sql.list(
        connection,
        SlotRow::read,
        LOCK_LEAKED,
        eventIds.toArray(String[]::new),
        row.configId(),
        beforeMicros,
        beforeMicros);
  }

  @Override
  public void setState(Connection connection, List<String> eventIds, SlotState state)
      throws SQLException {
    Sql.update(
        connection, SET_STATE, SlotRow.code(state), (Object) eventIds.toArray(String[]::new));
  }

  @Override
  public SlotUpkeepDialect upkeep() {
    return PostgresqlSlotUpkeep.INSTANCE;
  }
}
