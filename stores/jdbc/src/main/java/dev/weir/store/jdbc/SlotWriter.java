package dev.weir.store.jdbc;

import dev.weir.core.slots.Micros;
import dev.weir.core.slots.Page;
import dev.weir.core.slots.Picture;
import dev.weir.core.slots.Window;
import dev.weir.engine.slots.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What one transaction writes: slots, windows, runs and the books' numbers, from arrays and in one
 * round trip.
 */
final class SlotWriter {
  /** A statement of its own: the insert has to see that these are gone. */
  private static final String REMOVE_ENDED =
      "delete from slot where event_id = any(?) and state in (2, 3);";

  /** All the rest is one statement, which costs the database less than five. */
  private static final String SLOTS =
      """
      slots as (
        insert into slot (event_id, config_id, version, requested, window_start, place, scheduled,
                          assigned_at, state)
        select *, 0 from unnest(?::text[], ?::int[], ?::int[], ?::bigint[], ?::bigint[], ?::int[],
                                ?::bigint[], ?::bigint[])),
      """;

  private static final String WINDOWS =
      """
      windows as (
        insert into slot_window (config_id, grid, start_micros, taken, is_full, places)
        select * from unnest(?::int[], ?::int[], ?::bigint[], ?::int[], ?::boolean[], ?::bytea[])
        on conflict (config_id, grid, start_micros) do update
        set taken = excluded.taken, is_full = excluded.is_full, places = excluded.places),
      """;

  private static final String REMOVED_RUNS =
      """
      removed_runs as (
        delete from full_run r using unnest(?::int[], ?::int[], ?::bigint[]) as gone (c, g, f)
        where r.config_id = gone.c and r.grid = gone.g and r.from_micros = gone.f),
      """;

  private static final String ADDED_RUNS =
      """
      added_runs as (
        insert into full_run (config_id, grid, from_micros, until_micros)
        select * from unnest(?::int[], ?::int[], ?::bigint[], ?::bigint[])
        on conflict (config_id, grid, from_micros) do update
        set until_micros = excluded.until_micros),
      """;

  private static final String BOOKS =
      """
      books as (select unnest(?::int[]) as config_id)
      update slot_book b set seq = b.seq + ? from books where b.config_id = books.config_id
      """;

  private static final String COMMIT = "; commit";

  /** At a thousand batches a second, numbers last for more than a century. */
  private static final int LONGEST_STEP = 1 << 22;

  private final StringBuilder sql = new StringBuilder("with ");
  private final List<Object> parameters = new ArrayList<>();

  /**
   * By how much books' numbers go up. Not by one: a database that lost commits, such as a standby
   * that took over, would count the same numbers again, and a picture of what was lost would be
   * taken for true.
   */
  private final int step = 1 + ThreadLocalRandom.current().nextInt(LONGEST_STEP);

  int step() {
    return step;
  }

  /** Adds new slots; {@code ended} are earlier slots of the same events that they replace. */
  SlotWriter slots(List<Slot> fresh, Collection<String> ended, Map<String, JdbcBook> books) {
    if (!ended.isEmpty()) {
      sql.insert(0, REMOVE_ENDED);
      parameters.addFirst(ended.toArray(String[]::new));
    }
    if (fresh.isEmpty()) {
      return this;
    }
    // In the order of ids, so that two transactions with common ids cannot lock each other out.
    Slot[] slots = fresh.toArray(Slot[]::new);
    Arrays.sort(slots, Comparator.comparing(Slot::eventId));
    int count = slots.length;
    String[] eventIds = new String[count];
    int[] configIds = new int[count];
    int[] versions = new int[count];
    long[] requested = new long[count];
    long[] windowStarts = new long[count];
    int[] places = new int[count];
    long[] scheduled = new long[count];
    long[] assignedAt = new long[count];
    for (int i = 0; i < count; i++) {
      Slot slot = slots[i];
      eventIds[i] = slot.eventId();
      configIds[i] = Objects.requireNonNull(books.get(slot.configName())).row().configId();
      versions[i] = slot.configVersion();
      requested[i] = Micros.ceil(slot.requestedTime());
      windowStarts[i] = Micros.ceil(slot.windowStart());
      places[i] = slot.place();
      scheduled[i] = Micros.ceil(slot.scheduledTime());
      assignedAt[i] = Micros.ceil(slot.assignedAt());
    }
    return add(
        SLOTS,
        eventIds,
        configIds,
        versions,
        requested,
        windowStarts,
        places,
        scheduled,
        assignedAt);
  }

  /** Adds what a plan changed in books, and moves their numbers on. */
  SlotWriter books(Collection<JdbcBook> books) {
    List<Write<Window>> windows = new ArrayList<>();
    List<Write<Page.Run>> addedRuns = new ArrayList<>();
    List<Write<Long>> removedRuns = new ArrayList<>();
    for (JdbcBook book : books) {
      // What lies before a grid's begin is never read from here: the slots tell.
      long since = book.row().sinceMicros();
      Picture.Changes changes = book.picture().drainChanges();
      changes.windows().stream()
          .filter(window -> window.startMicros() >= since)
          .forEach(window -> windows.add(new Write<>(book, window)));
      changes.addedRuns().stream()
          .filter(run -> run.fromMicros() >= since)
          .forEach(run -> addedRuns.add(new Write<>(book, run)));
      changes.removedRuns().stream()
          .filter(from -> from >= since)
          .forEach(from -> removedRuns.add(new Write<>(book, from)));
    }
    windows(windows);
    removedRuns(removedRuns);
    addedRuns(addedRuns);
    return add(BOOKS, books.stream().mapToInt(book -> book.row().configId()).toArray(), step);
  }

  /**
   * Sends everything and the commit along with it. If a statement fails, the database skips what
   * follows it, the commit included.
   */
  void sendAndCommit(Connection connection) throws SQLException {
    sql.append(COMMIT);
    send(connection);
  }

  /** Sends everything in one round trip. */
  void send(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        Sql.prepare(connection, sql.toString(), parameters.toArray())) {
      statement.execute();
    }
  }

  /** Something to write for a book. */
  private record Write<T>(JdbcBook book, T value) {}

  private void windows(List<Write<Window>> writes) {
    if (writes.isEmpty()) {
      return;
    }
    int count = writes.size();
    int[] taken = new int[count];
    boolean[] full = new boolean[count];
    byte[][] places = new byte[count][];
    for (int i = 0; i < count; i++) {
      Write<Window> write = writes.get(i);
      taken[i] = write.value().taken();
      full[i] = write.book().picture().isFull(write.value().startMicros());
      places[i] = write.value().toBytes();
    }
    long[] starts = writes.stream().mapToLong(write -> write.value().startMicros()).toArray();
    add(WINDOWS, configIds(writes), grids(writes), starts, taken, full, places);
  }

  private void removedRuns(List<Write<Long>> writes) {
    if (!writes.isEmpty()) {
      long[] from = writes.stream().mapToLong(Write::value).toArray();
      add(REMOVED_RUNS, configIds(writes), grids(writes), from);
    }
  }

  private void addedRuns(List<Write<Page.Run>> writes) {
    if (!writes.isEmpty()) {
      long[] from = writes.stream().mapToLong(write -> write.value().fromMicros()).toArray();
      long[] until = writes.stream().mapToLong(write -> write.value().untilMicros()).toArray();
      add(ADDED_RUNS, configIds(writes), grids(writes), from, until);
    }
  }

  private static int[] configIds(List<? extends Write<?>> writes) {
    return writes.stream().mapToInt(write -> write.book().row().configId()).toArray();
  }

  private static int[] grids(List<? extends Write<?>> writes) {
    return writes.stream().mapToInt(write -> write.book().row().grid()).toArray();
  }

  private SlotWriter add(String statement, Object... values) {
    sql.append(statement);
    parameters.addAll(Arrays.asList(values));
    return this;
  }
}
