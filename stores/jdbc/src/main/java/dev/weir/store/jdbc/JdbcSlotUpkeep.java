package dev.weir.store.jdbc;

import dev.weir.core.slots.Micros;
import dev.weir.engine.slots.SlotUpkeep;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
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
          where s.config_id = b.config_id and s.state = 0 and s.scheduled < ? limit ?) as leaked
        limit ?) as counted
      """;

  private static final String REMOVE_SLOTS =
      """
      delete from slot where ctid = any(array(
        select s.ctid from slot s
        where s.config_id = ? and s.state = ? and s.scheduled < ?
        order by s.scheduled limit ?))
      """;

  /** Windows that ended before a time, and all of earlier grids: nothing reads those any more. */
  private static final String REMOVE_WINDOWS =
      """
      delete from slot_window where ctid = any(array(
        select w.ctid from slot_window w
        where w.config_id = ? and (w.grid < ? or w.grid = ? and w.start_micros < ?) limit ?))
      """;

  private static final String REMOVE_RUNS =
      """
      delete from full_run where ctid = any(array(
        select r.ctid from full_run r
        where r.config_id = ? and (r.grid < ? or r.grid = ? and r.until_micros < ?) limit ?))
      """;

  private final Transactions transactions;
  private final StoreClock clock;

  public JdbcSlotUpkeep(DataSource database, StoreClock clock) {
    this.transactions = new Transactions(database, () -> {});
    this.clock = clock;
  }

  @Override
  public boolean alone(Runnable work) {
    // The lock belongs to the session: it goes with the connection, whatever becomes of this node.
    return transactions.read(
        connection -> {
          if (!ask(connection, "select pg_try_advisory_lock(?)")) {
            return false;
          }
          try {
            work.run();
          } finally {
            ask(connection, "select pg_advisory_unlock(?)");
          }
          return true;
        });
  }

  @Override
  public long countLeaked(Instant dueBefore, int most) {
    return transactions.read(
        connection ->
            Sql.first(
                    connection,
                    row -> row.getLong(1),
                    COUNT_LEAKED,
                    Micros.clamped(dueBefore),
                    most,
                    most)
                .orElseThrow());
  }

  @Override
  public int reclaim(Instant dueBefore, int most) {
    int reclaimed = 0;
    for (BookRow book : books()) {
      int left = most - reclaimed;
      if (left > 0) {
        reclaimed +=
            transactions.write(
                connection ->
                    SlotEndings.reclaim(
                        connection, clock, book.name(), Micros.clamped(dueBefore), left));
      }
    }
    return reclaimed;
  }

  @Override
  public int removePast(Instant scheduledBefore, int most) {
    long before = Micros.clamped(scheduledBefore);
    int removed = 0;
    for (BookRow book : books()) {
      int left = most - removed;
      if (left > 0) {
        removed += transactions.write(connection -> remove(connection, book, before, left));
      }
    }
    return removed;
  }

  @Override
  public Instant now() {
    return transactions.read(connection -> Micros.instant(Sql.now(connection, clock)));
  }

  private static int remove(Connection connection, BookRow book, long before, int most)
      throws SQLException {
    int removed = 0;
    for (short state = 0; state <= 3 && removed < most; state++) {
      removed +=
          Sql.update(connection, REMOVE_SLOTS, book.configId(), state, before, most - removed);
    }
    // The window that holds the time itself still counts.
    long size = ConfigRow.inForce(connection, book).terms().windowMicros();
    for (String sql : List.of(REMOVE_WINDOWS, REMOVE_RUNS)) {
      Sql.update(connection, sql, book.configId(), book.grid(), book.grid(), before - size, most);
    }
    return removed;
  }

  private List<BookRow> books() {
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                row -> BookRow.read(row, clock),
                "select " + BookRow.COLUMNS + " from slot_book b order by b.config_id"));
  }

  private static boolean ask(Connection connection, String sql) throws SQLException {
    return Sql.first(connection, row -> row.getBoolean(1), sql, LOCK).orElseThrow();
  }
}
