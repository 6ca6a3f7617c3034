package dev.weir.store.jdbc;

import dev.weir.core.Micros;
import dev.weir.core.slots.Page;
import dev.weir.core.slots.Picture;
import dev.weir.core.slots.Window;
import dev.weir.engine.slots.Slot;
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
 * What one transaction writes: slots, windows, runs and the books' numbers, from arrays and in one
 * statement, which costs the database less than five.
 *
 * <p>Everything is selected from the {@linkplain Gate gate}, a row that is there only if all books
 * are as the plan believed. So either all of it is written or nothing.
 */
final class SlotWriter {
  /** A statement of its own: the insert has to see that these are gone. */
  private static final String REMOVE_ENDED =
      "delete from slot where event_id = any(?) and state in (2, 3);";

  /** Arrays are unfolded in the select list: as a table they would be stored in between. */
  private static final String SLOTS =
      """
      , slots as (
        insert into slot (event_id, config_id, version, requested, window_start, place, scheduled,
                          assigned_at, state)
        select unnest(?::text[]), %s, unnest(?::bigint[]), unnest(?::bigint[]), unnest(?::int[]),
               unnest(?::bigint[]), ?::bigint, 0
        from gate)
      """;

  private static final String SLOTS_OF_ONE_BOOK = SLOTS.formatted("?::int, ?::int");
  private static final String SLOTS_OF_BOOKS =
      SLOTS.formatted("unnest(?::int[]), unnest(?::int[])");

  private static final String WINDOWS =
      """
      , windows as (
        insert into slot_window (config_id, grid, start_micros, taken, lying, is_full, places)
        select unnest(?::int[]), unnest(?::int[]), unnest(?::bigint[]), unnest(?::int[]),
               unnest(?::int[]), unnest(?::boolean[]), unnest(?::bytea[])
        from gate
        on conflict (config_id, grid, start_micros) do update
        set taken = excluded.taken, lying = excluded.lying, is_full = excluded.is_full,
            places = excluded.places)
      """;

  private static final String REMOVED_RUNS =
      """
      , removed_runs as (
        delete from full_run r
        using (select unnest(?::int[]) as c, unnest(?::int[]) as g, unnest(?::bigint[]) as f
               from gate) as gone
        where r.config_id = gone.c and r.grid = gone.g and r.from_micros = gone.f)
      """;

  private static final String ADDED_RUNS =
      """
      , added_runs as (
        insert into full_run (config_id, grid, from_micros, until_micros)
        select unnest(?::int[]), unnest(?::int[]), unnest(?::bigint[]), unnest(?::bigint[])
        from gate
        on conflict (config_id, grid, from_micros) do update
        set until_micros = excluded.until_micros)
      """;

  private static final String DONE = " select now_micros from gate";

  private static final String COMMIT = "; commit";

  private final List<JdbcBook> books;
  private final StringBuilder sql = new StringBuilder();
  private final List<Object> parameters = new ArrayList<>();

  private SlotWriter(Collection<JdbcBook> books, Gate gate) {
    this.books = List.copyOf(books);
    sql.append("with ").append(gate.sql());
    parameters.addAll(gate.parameters());
    changes();
  }

  /** Writes what a plan changed in books if the gate lets it pass. */
  static SlotWriter of(Collection<JdbcBook> books, Gate gate) {
    return new SlotWriter(books, gate);
  }

  /** Adds new slots; {@code ended} are earlier slots of the same events that they replace. */
  SlotWriter slots(List<Slot> fresh, Collection<String> ended, Map<String, JdbcBook> byName) {
    // In the order of ids, so that two transactions with common ids cannot lock each other out.
    List<Slot> slots = new ArrayList<>(fresh);
    slots.sort(Comparator.comparing(Slot::eventId));
    String[] eventIds = new String[slots.size()];
    Arrays.setAll(eventIds, i -> slots.get(i).eventId());
    boolean one = books.size() == 1;
    int[] versions = ints(slots, Slot::configVersion);
    add(
        one ? SLOTS_OF_ONE_BOOK : SLOTS_OF_BOOKS,
        eventIds,
        one
            ? books.getFirst().row().configId()
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
    for (JdbcBook book : books) {
      // Plans change only what is stored, so all of it is written.
      Picture.Changes changes = book.picture().drainChanges();
      changes.windows().forEach(window -> windows.add(new Write<>(book, window)));
      changes.addedRuns().forEach(run -> addedRuns.add(new Write<>(book, run)));
      changes.removedRuns().forEach(from -> removedRuns.add(new Write<>(book, from)));
    }
    windows(windows);
    removedRuns(removedRuns);
    addedRuns(addedRuns);
  }

  /**
   * Sends everything and the commit along with it. If a statement fails, the database skips what
   * follows it, the commit included.
   */
  void sendAndCommit(Connection connection) throws SQLException {
    sql.append(DONE).append(COMMIT);
    mustHavePassed(UnansweredException.unlessAnswered(() -> execute(connection)));
  }

  /** Sends everything in one round trip. */
  void send(Connection connection) throws SQLException {
    mustHavePassed(sendIfTrue(connection));
  }

  /** Sends everything; answers with the database's time, or with nothing if nothing was written. */
  OptionalLong sendIfTrue(Connection connection) throws SQLException {
    sql.append(DONE);
    return execute(connection);
  }

  private static void mustHavePassed(OptionalLong passed) throws SQLException {
    if (passed.isEmpty()) {
      throw new SQLException("a book changed under its lock");
    }
  }

  private OptionalLong execute(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        Sql.prepare(connection, sql.toString(), parameters.toArray())) {
      boolean isRows = statement.execute();
      while (!isRows) {
        isRows = statement.getMoreResults();
      }
      try (ResultSet gate = statement.getResultSet()) {
        return gate.next() ? OptionalLong.of(gate.getLong(1)) : OptionalLong.empty();
      }
    }
  }

  /** Something to write for a book. */
  private record Write<T>(JdbcBook book, T value) {
    int configId() {
      return book.row().configId();
    }

    int grid() {
      return book.row().grid();
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
      full[i] = write.book().picture().isFull(write.value().startMicros());
      places[i] = write.value().toBytes();
    }
    add(
        WINDOWS,
        ints(writes, Write::configId),
        ints(writes, Write::grid),
        longs(writes, write -> write.value().startMicros()),
        ints(writes, write -> write.value().taken()),
        ints(writes, write -> write.value().lying()),
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
