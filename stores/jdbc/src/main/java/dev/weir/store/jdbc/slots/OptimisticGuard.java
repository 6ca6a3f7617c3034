package dev.weir.store.jdbc.slots;

import dev.weir.store.jdbc.Sql;
import java.util.Collection;
import java.util.List;

/**
 * The first part of a writing statement: it moves the numbers of books on and leaves one row called
 * {@code gate}, or none if a book is not as was believed. Whatever follows selects from it.
 *
 * <p>The update locks the books. Who waits for such a lock has the condition checked again on the
 * row as it is then. What else the statement reads may be older than that, and does not matter:
 * windows and runs change only together with the number, so if the number is the believed one,
 * nothing of them has changed since.
 */
record OptimisticGuard(String sql, List<Object> parameters) {
  /** For who holds the lock and has moved the number on already. */
  static final OptimisticGuard OPEN =
      new OptimisticGuard("gate as (select 0::bigint as now_micros)", List.of());

  private static final String ONE_BOOK =
      """
      gate as (
        update slot_book b set seq = b.seq + ? where b.config_id = ? and b.seq = ? %s
        returning %s as now_micros)
      """;

  /**
   * If only some of the books are as believed, those numbers go up for nothing. That is no harm.
   */
  private static final String SEVERAL_BOOKS =
      """
      moved as (
        update slot_book b set seq = b.seq + ?
        from unnest(?::int[], ?::bigint[]) as believed (config_id, seq)
        where b.config_id = believed.config_id and b.seq = believed.seq %s
        returning %s as now_micros),
      gate as (select max(now_micros) as now_micros from moved having count(*) = ?)
      """;

  private static final String AT_THE_TIME = "and %s between ? and ?".formatted(Sql.NOW);

  /** Closed while another transaction holds the book. */
  private static final String ONE_FREE_NOW =
      """
      gate as (
        update slot_book b set seq = b.seq + ?
        from (select config_id from slot_book where config_id = ? and seq = ?
              for update skip locked) as free
        where b.config_id = free.config_id %s
        returning %s as now_micros)
      """
          .formatted(AT_THE_TIME, Sql.NOW);

  private static final String SEVERAL_FREE_NOW =
      """
      moved as (
        update slot_book b set seq = b.seq + ?
        from (select o.config_id
              from unnest(?::int[], ?::bigint[]) as believed (config_id, seq)
              join slot_book o on o.config_id = believed.config_id and o.seq = believed.seq
              for update of o skip locked) as free
        where b.config_id = free.config_id %s
        returning %s as now_micros),
      gate as (select max(now_micros) as now_micros from moved having count(*) = ?)
      """
          .formatted(AT_THE_TIME, Sql.NOW);

  private static final String ONE_BOOK_AT_ANY_TIME = ONE_BOOK.formatted("", Sql.NOW);
  private static final String ONE_BOOK_NOW = ONE_BOOK.formatted(AT_THE_TIME, Sql.NOW);
  private static final String SEVERAL_AT_ANY_TIME = SEVERAL_BOOKS.formatted("", Sql.NOW);
  private static final String SEVERAL_NOW = SEVERAL_BOOKS.formatted(AT_THE_TIME, Sql.NOW);

  /** For who holds the locks of books. */
  static OptimisticGuard locked(Collection<JdbcWindows> books, int step) {
    if (books.size() == 1) {
      BookRow row = books.iterator().next().row();
      return new OptimisticGuard(ONE_BOOK_AT_ANY_TIME, List.of(step, row.configId(), row.seq()));
    }
    return new OptimisticGuard(
        SEVERAL_AT_ANY_TIME, List.of(step, configIds(books), seqs(books), books.size()));
  }

  /**
   * For who holds no lock: books and time must be as believed.
   *
   * @param waits whether it waits for the locks of books, or stays closed if one is held
   */
  static OptimisticGuard believed(
      Collection<JdbcWindows> books,
      int step,
      long nowMicros,
      EstimatedClock.Need need,
      boolean waits) {
    long earliest = nowMicros - need.leewayMicros();
    long latest = nowMicros + need.leewayMicros();
    if (books.size() == 1) {
      BookRow row = books.iterator().next().row();
      return new OptimisticGuard(
          waits ? ONE_BOOK_NOW : ONE_FREE_NOW,
          List.of(step, row.configId(), row.seq(), earliest, latest));
    }
    return new OptimisticGuard(
        waits ? SEVERAL_NOW : SEVERAL_FREE_NOW,
        List.of(step, configIds(books), seqs(books), earliest, latest, books.size()));
  }

  private static int[] configIds(Collection<JdbcWindows> books) {
    return books.stream().mapToInt(book -> book.row().configId()).toArray();
  }

  private static long[] seqs(Collection<JdbcWindows> books) {
    return books.stream().mapToLong(book -> book.row().seq()).toArray();
  }
}
