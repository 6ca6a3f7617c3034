package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.Slot;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
import dev.weir.slots.planning.internal.Window;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.UnknownOutcomeException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/**
 * Writes to PostgreSQL as arrays and in one statement, which costs the database less than five.
 *
 * <p>Everything is selected from the {@code guard} of an {@link OptimisticGuard}, a row that exists
 * only if all configurations are in the state that the plan expects. So either everything is
 * written or nothing.
 */
final class PostgresqlSlotWriter implements SlotWriter, OptimisticWriter {
  /**
   * A separate statement, because the insert has to see that these rows are gone. A sum is in no
   * index: that of states would be read by statistics of a time when few slots had ended.
   */
  private static final String REMOVE_ENDED =
      "delete from slot where event_id = any(?) and state + 0 in (2, 3);";

  /** Arrays are unnested in the select list: in the from clause they would be materialized. */
  private static final String SLOTS =
      """
      , slots as (
        insert into slot (event_id, config_id, version, requested, window_start, place, scheduled,
                          assigned_at, state)
        select unnest(?::text[]), %s, unnest(?::bigint[]), unnest(?::bigint[]), unnest(?::int[]),
               unnest(?::bigint[]), ?::bigint, 0
        from guard)
      """;

  private static final String SLOTS_OF_ONE_CONFIG = SLOTS.formatted("?::int, ?::int");
  private static final String SLOTS_OF_CONFIGS =
      SLOTS.formatted("unnest(?::int[]), unnest(?::int[])");

  private static final String WINDOWS =
      """
      , windows as (
        insert into slot_window (config_id, grid, start_micros, taken, off_grid, is_full, places)
        select unnest(?::int[]), unnest(?::int[]), unnest(?::bigint[]), unnest(?::int[]),
               unnest(?::int[]), unnest(?::boolean[]), unnest(?::bytea[])
        from guard
        on conflict (config_id, grid, start_micros) do update
        set taken = excluded.taken, off_grid = excluded.off_grid, is_full = excluded.is_full,
            places = excluded.places)
      """;

  /** Each is looked up; a join could be planned as a scan while the table is small. */
  private static final String REMOVED_RUNS =
      """
      , removed_runs as (
        delete from full_run where ctid = any(array(
          select r.id
          from (select unnest(?::int[]) as c, unnest(?::int[]) as g, unnest(?::bigint[]) as f
                from guard) as gone
          cross join lateral (
            select ctid as id from full_run
            where config_id = gone.c and grid = gone.g and from_micros = gone.f offset 0) as r)))
      """;

  private static final String ADDED_RUNS =
      """
      , added_runs as (
        insert into full_run (config_id, grid, from_micros, until_micros)
        select unnest(?::int[]), unnest(?::int[]), unnest(?::bigint[]), unnest(?::bigint[])
        from guard
        on conflict (config_id, grid, from_micros) do update
        set until_micros = excluded.until_micros)
      """;

  private static final String DONE = " select now_micros from guard";

  private static final String COMMIT = "; commit";

  private final List<JdbcWindows> configs;
  private final StringBuilder sql = new StringBuilder();
  private final List<Object> parameters = new ArrayList<>();

  private PostgresqlSlotWriter(Collection<JdbcWindows> configs, OptimisticGuard guard) {
    this.configs = List.copyOf(configs);
    sql.append("with ").append(guard.sql());
    parameters.addAll(guard.parameters());
    changes();
  }

  /** Returns a writer of the changes of a plan, which are written only if the guard passes. */
  static PostgresqlSlotWriter of(Collection<JdbcWindows> configs, OptimisticGuard guard) {
    return new PostgresqlSlotWriter(configs, guard);
  }

  @Override
  public PostgresqlSlotWriter slots(List<Slot> fresh, Map<String, JdbcWindows> byName) {
    return slots(fresh, List.of(), byName);
  }

  @Override
  public PostgresqlSlotWriter slots(
      List<Slot> fresh, Collection<String> ended, Map<String, JdbcWindows> byName) {
    // In the order of ids, so that two transactions with common ids cannot deadlock.
    List<Slot> slots = new ArrayList<>(fresh);
    slots.sort(Comparator.comparing(Slot::eventId));
    String[] eventIds = new String[slots.size()];
    Arrays.setAll(eventIds, i -> slots.get(i).eventId());
    boolean one = configs.size() == 1;
    int[] versions = ints(slots, Slot::configVersion);
    add(
        one ? SLOTS_OF_ONE_CONFIG : SLOTS_OF_CONFIGS,
        eventIds,
        one
            ? configs.getFirst().row().configId()
            : ints(
                slots,
                slot -> Objects.requireNonNull(byName.get(slot.configName())).row().configId()),
        one ? versions[0] : versions,
        longs(slots, slot -> Micros.ceil(slot.requestedTime())),
        longs(slots, slot -> Micros.ceil(slot.windowStart())),
        ints(slots, Slot::place),
        longs(slots, slot -> Micros.ceil(slot.scheduledTime())),
        Micros.ceil(slots.getFirst().assignedAt()));
    if (!ended.isEmpty()) {
      sql.insert(0, REMOVE_ENDED);
      parameters.addFirst(ended.toArray(String[]::new));
    }
    return this;
  }

  private void changes() {
    List<Write<Window>> windows = new ArrayList<>();
    List<Write<Page.Run>> addedRuns = new ArrayList<>();
    List<Write<Long>> removedRuns = new ArrayList<>();
    for (JdbcWindows config : configs) {
      // Plans change only stored windows, so all changes are written.
      OccupancyView.Changes changes = config.view().drainChanges();
      changes.windows().forEach(window -> windows.add(new Write<>(config, window)));
      changes.addedRuns().forEach(run -> addedRuns.add(new Write<>(config, run)));
      changes.removedRuns().forEach(from -> removedRuns.add(new Write<>(config, from)));
    }
    windows(windows);
    removedRuns(removedRuns);
    addedRuns(addedRuns);
  }

  /**
   * Sends everything together with the commit. If a statement fails, the database skips those that
   * follow, including the commit.
   */
  @Override
  public void sendAndCommit(Connection connection) throws SQLException {
    sql.append(DONE).append(COMMIT);
    requirePassed(UnknownOutcomeException.committing(() -> execute(connection)));
  }

  @Override
  public void send(Connection connection) throws SQLException {
    requirePassed(sendIfCurrent(connection));
  }

  @Override
  public OptionalLong sendIfCurrent(Connection connection) throws SQLException {
    sql.append(DONE);
    return execute(connection);
  }

  private static void requirePassed(OptionalLong passed) throws SQLException {
    if (passed.isEmpty()) {
      throw new SQLException("a configuration changed while it was locked");
    }
  }

  private OptionalLong execute(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        Sql.prepare(connection, sql.toString(), parameters.toArray())) {
      boolean isRows = statement.execute();
      while (!isRows) {
        isRows = statement.getMoreResults();
      }
      try (ResultSet guard = statement.getResultSet()) {
        return guard.next() ? OptionalLong.of(guard.getLong(1)) : OptionalLong.empty();
      }
    }
  }

  /** A value to write for a configuration. */
  private record Write<T>(JdbcWindows config, T value) {
    int configId() {
      return config.row().configId();
    }

    int grid() {
      return config.row().grid();
    }
  }

  private void windows(List<Write<Window>> writes) {
    if (writes.isEmpty()) {
      return;
    }
    int count = writes.size();
    boolean[] full = new boolean[count];
    byte[][] places = new byte[count][];
    for (int i = 0; i < count; i++) {
      Write<Window> write = writes.get(i);
      full[i] = write.config().view().isFull(write.value().startMicros());
      places[i] = write.value().toBytes();
    }
    add(
        WINDOWS,
        ints(writes, Write::configId),
        ints(writes, Write::grid),
        longs(writes, write -> write.value().startMicros()),
        ints(writes, write -> write.value().taken()),
        ints(writes, write -> write.value().offGrid()),
        full,
        places);
  }

  private void removedRuns(List<Write<Long>> writes) {
    if (!writes.isEmpty()) {
      add(
          REMOVED_RUNS,
          ints(writes, Write::configId),
          ints(writes, Write::grid),
          longs(writes, Write::value));
    }
  }

  private void addedRuns(List<Write<Page.Run>> writes) {
    if (!writes.isEmpty()) {
      add(
          ADDED_RUNS,
          ints(writes, Write::configId),
          ints(writes, Write::grid),
          longs(writes, write -> write.value().fromMicros()),
          longs(writes, write -> write.value().untilMicros()));
    }
  }

  private static <T> int[] ints(List<T> rows, ToIntFunction<T> column) {
    int[] values = new int[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.applyAsInt(rows.get(i));
    }
    return values;
  }

  private static <T> long[] longs(List<T> rows, ToLongFunction<T> column) {
    long[] values = new long[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.applyAsLong(rows.get(i));
    }
    return values;
  }

  private void add(String statement, Object... values) {
    sql.append(statement);
    parameters.addAll(Arrays.asList(values));
  }
}
