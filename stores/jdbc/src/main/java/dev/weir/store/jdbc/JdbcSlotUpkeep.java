package dev.weir.store.jdbc;

import dev.weir.core.Micros;
import dev.weir.core.slots.Terms;
import dev.weir.engine.slots.SlotUpkeep;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Upkeep in PostgreSQL, in small transactions; an advisory lock keeps nodes out of each other's
 * way.
 */
public final class JdbcSlotUpkeep implements SlotUpkeep {
  /** "weir" in ASCII: the number of our advisory lock. */
  private static final long LOCK = 0x77656972L;

  private static final String COUNT_LEAKED =
      """
      select count(*) from (
        select 1 from slot_book b
        cross join lateral (
          select 1 from slot s
          where s.config_id = b.config_id and s.state = 0
            and s.scheduled < ? and s.assigned_at < ? limit ?) as leaked
        limit ?) as counted
      """;

  private static final String LEAKED =
      """
      select s.event_id from slot s
      where s.config_id = ? and s.state = 0 and s.scheduled < ? and s.assigned_at < ?
      order by s.scheduled limit ?
      """;

  /** The first time of a book's slots in a state: the least in the index, not a scan. */
  private static final String FIRST_IN_STATE =
      "(select min(s.scheduled) from slot s where s.config_id = b.config_id and s.state = %d)";

  private static final String FIRST_ASSIGNED = FIRST_IN_STATE.formatted(0);

  private static final String FIRST_SLOT =
      IntStream.rangeClosed(0, 3)
          .mapToObj(FIRST_IN_STATE::formatted)
          .collect(Collectors.joining(", ", "least(", ")"));

  private static final String FIRST_WINDOW =
      "(select min(w.start_micros) from slot_window w"
          + " where w.config_id = b.config_id and w.grid = b.grid)";

  private static final String BOOKS_BEFORE =
      "select " + BookRow.COLUMNS + " from slot_book b where %s < ? order by b.config_id";

  private static final String BOOKS_WITH_LEAKED = BOOKS_BEFORE.formatted(FIRST_ASSIGNED);

  private static final String BOOKS_WITH_PAST =
      BOOKS_BEFORE.formatted("least(" + FIRST_WINDOW + ", " + FIRST_SLOT + ")");

  private static final String SLOTS_LEFT =
      "select 1 from slot_book b where b.config_id = ? and " + FIRST_SLOT + " < ?";

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

  private static final String REMOVE_OLD_WINDOWS =
      """
      delete from slot_window where ctid = any(array(
        select w.id from slot_book b
        cross join lateral (
          select ctid as id from slot_window
          where config_id = b.config_id and grid < b.grid
          order by grid, start_micros limit ?) as w
        limit ?))
      """;

  private static final String REMOVE_OLD_RUNS =
      """
      delete from full_run where ctid = any(array(
        select r.id from slot_book b
        cross join lateral (
          select ctid as id from full_run
          where config_id = b.config_id and grid < b.grid
          order by grid, from_micros limit ?) as r
        limit ?))
      """;

  private static final String REMOVE_OLD_SPANS =
      """
      delete from counted_span where ctid = any(array(
        select s.id from slot_book b
        cross join lateral (
          select ctid as id from counted_span
          where config_id = b.config_id and grid < b.grid
          order by grid, from_micros limit ?) as s
        limit ?))
      """;

  private final Transactions transactions;
  private final StoreClock clock;

  public JdbcSlotUpkeep(DataSource database, StoreClock clock) {
    this.transactions = new Transactions(database, () -> {});
    this.clock = clock;
  }

  @Override
  public boolean alone(Runnable work) {
    return transactions.alone(LOCK, work);
  }

  @Override
  public long countLeaked(Instant time, int most) {
    long before = Micros.clamped(time);
    return transactions.read(
        connection ->
            Sql.first(connection, row -> row.getLong(1), COUNT_LEAKED, before, before, most, most)
                .orElseThrow());
  }

  @Override
  public int reclaim(Instant time, int most) {
    long before = Micros.clamped(time);
    int reclaimed = 0;
    for (BookRow book : books(BOOKS_WITH_LEAKED, before)) {
      String[] eventIds = leaked(book, before, most - reclaimed);
      if (eventIds.length > 0) {
        reclaimed +=
            transactions.write(
                connection -> SlotEndings.reclaim(connection, clock, book, eventIds, before));
      }
    }
    return reclaimed;
  }

  private String[] leaked(BookRow book, long before, int most) {
    return transactions.read(
        connection ->
            Sql.list(
                    connection,
                    row -> row.getString(1),
                    LEAKED,
                    book.configId(),
                    before,
                    before,
                    most)
                .toArray(String[]::new));
  }

  @Override
  public int removePast(Instant time, int most) {
    long before = Micros.clamped(time);
    int removed = 0;
    for (BookRow book : books(BOOKS_WITH_PAST, before)) {
      if (removed < most) {
        removed += removeSlots(book, before, most - removed);
        int windows = most;
        while (windows == most) {
          windows = transactions.write(connection -> removeWindows(connection, book, before, most));
        }
      }
    }
    return removed;
  }

  private int removeSlots(BookRow book, long before, int most) {
    int removed = 0;
    long from = Long.MIN_VALUE;
    boolean isLast = false;
    while (removed < most && !isLast) {
      long begin = from;
      PastRemoval.Step step =
          transactions.write(
              connection -> PastRemoval.step(connection, clock, book.name(), begin, before, most));
      removed += step.removed();
      from = step.untilMicros();
      isLast = step.isLast();
    }
    return removed;
  }

  @Override
  public int tidy(int most) {
    // Windows of earlier grids: nothing reads those any more.
    return transactions.write(
        connection ->
            Sql.update(connection, REMOVE_OLD_WINDOWS, most, most)
                + Sql.update(connection, REMOVE_OLD_RUNS, most, most)
                + Sql.update(connection, REMOVE_OLD_SPANS, most, most));
  }

  @Override
  public Instant now() {
    return transactions.read(connection -> Micros.instant(Sql.now(connection, clock)));
  }

  /** Removes windows that ended before a time, under the lock, unless a slot is left in them. */
  private int removeWindows(Connection connection, BookRow seen, long before, int most)
      throws SQLException {
    BookRow book = BookRow.lock(connection, clock, seen.name()).orElseThrow();
    Terms terms = ConfigRow.inForce(connection, book).terms();
    long cut = terms.windowStart(before);
    if (Sql.first(connection, row -> true, SLOTS_LEFT, book.configId(), cut).isPresent()) {
      return 0;
    }
    int id = book.configId();
    int grid = book.grid();
    int windows = Sql.update(connection, REMOVE_WINDOWS, id, grid, cut, most);
    // A run begins with a window that is open at some time.
    long open = terms.windowStart(Math.max(cut, terms.calendar().openAt(cut).fromMicros()));
    Sql.update(connection, REMOVE_RUNS, id, grid, open, open);
    Sql.update(connection, CUT_RUN, open, id, grid, open, open);
    // Also if no window was stored: pictures that show the slots of before are not true any more.
    Sql.update(connection, "update slot_book set seq = seq + 1 where config_id = ?", id);
    return windows;
  }

  private List<BookRow> books(String sql, Object... parameters) {
    return transactions.read(
        connection -> Sql.list(connection, row -> BookRow.read(row, clock), sql, parameters));
  }
}
