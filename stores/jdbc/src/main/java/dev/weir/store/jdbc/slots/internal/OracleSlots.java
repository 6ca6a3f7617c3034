package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotState;
import dev.weir.slots.WindowCount;
import dev.weir.slots.planning.internal.Page;
import dev.weir.slots.planning.internal.Window;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.InList;
import dev.weir.store.jdbc.internal.RandomStep;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Slots in Oracle 19c and later. A batch takes four round trips: lock the configurations and read
 * their sequence numbers; insert the slots; merge sequence numbers, windows and runs, which share
 * the table {@code slot_occupancy} for that purpose; commit.
 */
final class OracleSlots implements SlotDialect {
  static final SlotDialect INSTANCE = new OracleSlots(false);

  private static final String ADVANCE =
      "update slot_occupancy set until_micros = until_micros + ?"
          + " where config_id = ? and grid = 0 and kind = 0 and start_micros = 0";

  /**
   * By the index of {@code plan_micros}, which is null in full windows and removed runs, so that
   * none of them is read. Oracle has no partial indexes. The order is that of the index, so that
   * nothing is sorted. The index is named, here and where windows are locked and written: by
   * statistics that were gathered while the tables were empty, Oracle would scan them.
   */
  static final String PAGE =
      """
      select w.kind, w.start_micros, w.until_micros, w.off_grid, w.places from (
        select /*+ index(slot_occupancy slot_occupancy_plan) */
          kind, start_micros, until_micros, off_grid, places from slot_occupancy
        where config_id = ? and grid = ? and kind = 1 and plan_micros >= ? and plan_micros < ?
        order by config_id, grid, kind, plan_micros fetch first ? rows only) w
      union all
      select b.kind, b.start_micros, b.until_micros, b.off_grid, b.places from (
        select /*+ index_desc(slot_occupancy slot_occupancy_plan) */
          kind, start_micros, until_micros, off_grid, places from slot_occupancy
        where config_id = ? and grid = ? and kind = 2 and plan_micros <= ?
        order by config_id desc, grid desc, kind desc, plan_micros desc
        fetch first 1 rows only) b
      union all
      select a.kind, a.start_micros, a.until_micros, a.off_grid, a.places from (
        select /*+ index(slot_occupancy slot_occupancy_plan) */
          kind, start_micros, until_micros, off_grid, places from slot_occupancy
        where config_id = ? and grid = ? and kind = 2 and plan_micros > ?
        order by config_id, grid, kind, plan_micros fetch first ? rows only) a
      """;

  private static final String STORE_SPAN =
      """
      merge into counted_span s using dual
      on (s.config_id = ? and s.grid = ? and s.from_micros = ?)
      when matched then update set s.until_micros = ?
      when not matched then insert (config_id, grid, from_micros, until_micros)
      values (?, ?, ?, ?)
      """;

  /**
   * The slots of the first time, after an id, and those of later times: two ranges of the index. A
   * single one would begin with all slots of the first time.
   */
  static final String LIST =
      "select "
          + SlotRow.COLUMNS
          + """
           from (
            select a.* from (
              select s.* from slot s
              where s.config_id = (select n.config_id from slot_config n where n.name = ?)
                and s.state = ? and s.scheduled = ? and s.scheduled < ? and s.event_id > ?
              order by s.config_id, s.state, s.scheduled, s.event_id fetch first ? rows only) a
            union all
            select b.* from (
              select s.* from slot s
              where s.config_id = (select n.config_id from slot_config n where n.name = ?)
                and s.state = ? and s.scheduled >= ? and s.scheduled < ?
              order by s.config_id, s.state, s.scheduled, s.event_id
              fetch first ? rows only) b) s
          join slot_config c on c.config_id = s.config_id
          order by s.scheduled, s.event_id fetch first ? rows only
          """;

  /** As {@link SlotRow#COLUMNS}, but of one table, because all tables of the query are locked. */
  private static final String LOCK_SLOTS =
      "select s.event_id, (select c.name from slot_config c where c.config_id = s.config_id),"
          + " s.version, s.requested, s.window_start, s.place, s.scheduled, s.state, s.assigned_at"
          + " from slot s where ";

  private static final int SLOTS_A_PORTION = 4_096;

  private final boolean isSingleRoundTrip;
  private final OracleSlotPortions portions;

  /**
   * @param isSingleRoundTrip whether small batches are sent as one PL/SQL block, see {@link
   *     OracleBlock}
   */
  OracleSlots(boolean isSingleRoundTrip) {
    this(isSingleRoundTrip, SLOTS_A_PORTION);
  }

  OracleSlots(boolean isSingleRoundTrip, int slotsAPortion) {
    this.isSingleRoundTrip = isSingleRoundTrip;
    this.portions = new OracleSlotPortions(slotsAPortion);
  }

  @Override
  public Dialect database() {
    return Dialect.ORACLE;
  }

  @Override
  public String selectConfigs() {
    return OracleLocks.CONFIGS;
  }

  @Override
  public Optional<ConfigRow> lock(Connection connection, StoreClock clock, String name)
      throws SQLException {
    return lock(connection, clock, name, OracleLocks.WAIT);
  }

  @Override
  public Optional<ConfigRow> lockIfFree(Connection connection, StoreClock clock, String name)
      throws SQLException {
    return lock(connection, clock, name, OracleLocks.SKIP);
  }

  /** Reads the row by another statement, which sees what was committed while waiting. */
  private Optional<ConfigRow> lock(
      Connection connection, StoreClock clock, String name, String wait) throws SQLException {
    return Sql.first(connection, row -> true, OracleLocks.LOCK_CONFIG + wait, name).isPresent()
        ? find(connection, clock, name)
        : Optional.empty();
  }

  @Override
  public int create(Connection connection, String name) throws SQLException {
    int configId =
        Math.toIntExact(
            Sql.insert(
                connection,
                "config_id",
                "insert into slot_config (name, version, grid, since) values (?, 1, 1, ?)",
                name,
                Long.MIN_VALUE));
    Sql.update(
        connection,
        "insert into slot_occupancy (config_id, grid, kind, start_micros, until_micros, taken,"
            + " off_grid, is_full) values (?, 0, 0, 0, ?, 0, 0, 0)",
        configId,
        RandomStep.next());
    return configId;
  }

  @Override
  public void change(Connection connection, ConfigRow next, int version) throws SQLException {
    Sql.update(
        connection,
        "update slot_config set version = ?, grid = ?, since = ? where config_id = ?",
        version,
        next.grid(),
        next.sinceMicros(),
        next.configId());
    advance(connection, next);
  }

  @Override
  public void advance(Connection connection, ConfigRow row) throws SQLException {
    Sql.update(connection, ADVANCE, RandomStep.next(), row.configId());
  }

  @Override
  public List<ConfigRow> lockBatch(Connection connection, BatchLock lock, Map<String, Slot> known)
      throws SQLException {
    return OracleLocks.lockBatch(connection, lock, known);
  }

  @Override
  public SlotWriter writer(Collection<JdbcWindows> configs) {
    return new OracleSlotWriter(OccupancyRow.changes(configs));
  }

  @Override
  public SlotWriter advancingWriter(Collection<JdbcWindows> configs, int step) {
    return new OracleSlotWriter(OccupancyRow.changes(configs, step));
  }

  @Override
  public OptimisticWriter optimisticWriter(
      Collection<JdbcWindows> configs,
      int step,
      long nowMicros,
      EstimatedClock.Precision precision,
      boolean waits) {
    return new OracleBlockWriter(
        OracleBlock.call(waits),
        configs,
        step,
        nowMicros - precision.toleranceMicros(),
        nowMicros + precision.toleranceMicros());
  }

  @Override
  public boolean isOptimistic(List<AssignRequest> requests) {
    return isSingleRoundTrip && OracleBlockWriter.fits(requests);
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
                query.maxRuns());
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        if (rows.getInt(1) == OccupancyRow.WINDOW) {
          windows.add(Window.of(rows.getLong(2), rows.getBytes(5), rows.getInt(4)));
        } else {
          runs.add(new Page.Run(rows.getLong(2), rows.getLong(3)));
        }
      }
    }
    // The parts of a union have no order among each other.
    windows.sort(Comparator.comparingLong(Window::startMicros));
    runs.sort(Comparator.comparingLong(Page.Run::fromMicros));
  }

  @Override
  public void visitSlots(
      Connection connection, ConfigRow row, long fromMicros, long untilMicros, SlotVisitor visitor)
      throws SQLException {
    portions.visitSlots(connection, row, fromMicros, untilMicros, visitor);
  }

  @Override
  public List<WindowCount> countWindows(Connection connection, WindowRange range)
      throws SQLException {
    return portions.countWindows(connection, range);
  }

  @Override
  public void storeSpan(Connection connection, ConfigRow row, CountedSpan span)
      throws SQLException {
    int id = row.configId();
    int grid = row.grid();
    long from = span.fromMicros();
    long until = span.untilMicros();
    Sql.update(connection, STORE_SPAN, id, grid, from, until, id, grid, from, until);
  }

  @Override
  public boolean isAnyKnown(Connection connection, List<String> eventIds) throws SQLException {
    for (InList query :
        InList.queries("select s.event_id from slot s where ", "s.event_id", eventIds)) {
      boolean isKnown =
          Sql.first(
                  connection,
                  row -> true,
                  "select k.event_id from (" + query.sql() + ") k fetch first 1 rows only",
                  query.parameters().toArray())
              .isPresent();
      if (isKnown) {
        return true;
      }
    }
    return false;
  }

  @Override
  public List<Slot> list(Connection connection, SlotRange range) throws SQLException {
    short state = SlotRow.code(range.state());
    // To Oracle, an empty text is null, and nothing is greater than null.
    String afterId = range.afterId().isEmpty() ? "\0" : range.afterId();
    return Sql.list(
        connection,
        SlotRow::read,
        LIST,
        range.configName(),
        state,
        range.fromMicros(),
        range.untilMicros(),
        afterId,
        range.max(),
        range.configName(),
        state,
        range.fromMicros() + 1,
        range.untilMicros(),
        range.max(),
        range.max());
  }

  @Override
  public Optional<Slot> lockSlot(Connection connection, String eventId, boolean waits)
      throws SQLException {
    return Sql.first(
        connection,
        SlotRow::read,
        LOCK_SLOTS + "s.event_id = ?" + (waits ? OracleLocks.WAIT : OracleLocks.SKIP),
        eventId);
  }

  @Override
  public List<Slot> lockLeaked(
      Connection connection, ConfigRow row, List<String> eventIds, long beforeMicros)
      throws SQLException {
    List<Slot> leaked = new ArrayList<>();
    for (InList ids : InList.conditions("s.event_id", eventIds)) {
      List<Object> parameters = new ArrayList<>(ids.parameters());
      parameters.addAll(List.of(row.configId(), beforeMicros, beforeMicros));
      leaked.addAll(
          Sql.list(
              connection,
              SlotRow::read,
              LOCK_SLOTS
                  + ids.sql()
                  + " and s.config_id = ? and s.state = 0 and s.scheduled < ? and s.assigned_at < ?"
                  + " order by s.event_id"
                  + OracleLocks.WAIT,
              parameters.toArray()));
    }
    return leaked;
  }

  @Override
  public void setState(Connection connection, List<String> eventIds, SlotState state)
      throws SQLException {
    Sql.batch(
        connection,
        "update slot set state = ? where event_id = ?",
        eventIds.stream().map(id -> List.<Object>of(SlotRow.code(state), id)).toList());
  }

  @Override
  public SlotUpkeepDialect upkeep() {
    return OracleSlotUpkeep.INSTANCE;
  }
}
