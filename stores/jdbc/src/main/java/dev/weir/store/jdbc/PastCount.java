package dev.weir.store.jdbc;

import dev.weir.core.slots.Page;
import dev.weir.core.slots.Terms;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Counts the windows before a book's begin from the slots that lie in them, and stores them like
 * those after it, so that nothing is counted twice.
 *
 * <p>A portion is a transaction of its own, with the book locked and an upper bound on what it
 * reads, so other transactions get their turn in between. Nothing of it is kept if it fails.
 */
final class PastCount {
  static final int SLOTS_A_PORTION = 4_096;

  /** The time of the first slot beyond a portion: one range of the index for each state. */
  private static final String FIRST_BEYOND =
      """
      (select s.scheduled from slot s
       where s.config_id = ? and s.state = 0 and s.scheduled >= ? and s.scheduled < ?
       order by s.scheduled limit ?)
      union all
      (select s.scheduled from slot s
       where s.config_id = ? and s.state = 1 and s.scheduled >= ? and s.scheduled < ?
       order by s.scheduled limit ?)
      order by scheduled offset ? limit 1
      """;

  /** The run that may touch a portion at its begin, and the one that may touch it at its end. */
  private static final String TOUCHING_RUNS =
      """
      (select from_micros, until_micros from full_run
       where config_id = ? and grid = ? and from_micros < ?
       order by from_micros desc limit 1)
      union all
      (select from_micros, until_micros from full_run
       where config_id = ? and grid = ? and from_micros >= ?
       order by from_micros limit 1)
      """;

  private static final String NEXT_SPAN =
      """
      select from_micros, until_micros from counted_span
      where config_id = ? and grid = ? and from_micros > ? order by from_micros limit 1
      """;

  private final StoreClock clock;
  private final int slotsAPortion;

  PastCount(StoreClock clock, int slotsAPortion) {
    this.clock = clock;
    this.slotsAPortion = slotsAPortion;
  }

  /** What a portion found. */
  sealed interface Portion {
    /** A window with room, or a time that was counted already: enough to plan again. */
    record Enough() implements Portion {}

    /** Every window is full up to this time. */
    record AllFull(long untilMicros) implements Portion {}
  }

  /** Counts the next windows from a time on; commits nothing. */
  Portion countPortion(Connection connection, String configName, long fromMicros)
      throws SQLException {
    BookRow row = BookRow.lock(connection, clock, configName).orElseThrow();
    JdbcBook book = new JdbcBook(connection, row, ConfigRow.inForce(connection, row));
    Terms terms = book.config().terms();
    long start = terms.windowStart(fromMicros);
    Optional<CountedSpan> before = CountedSpan.notAfter(connection, row, start);
    if (start >= row.sinceMicros() || before.filter(span -> span.covers(start)).isPresent()) {
      return new Portion.Enough();
    }
    Optional<CountedSpan> after = next(connection, row, start);
    long limit =
        Math.min(row.sinceMicros(), after.map(CountedSpan::fromMicros).orElse(row.sinceMicros()));
    long last = end(connection, row, terms, start, limit);
    List<Page.Run> touching = touchingRuns(connection, row, start, last);
    book.picture().add(new Page(start, last, List.of(), touching));
    long end = book.regroup(start, last);
    boolean allFull = book.picture().isFullUntil(start, end);
    // Pictures of before stay true, unless a run that they may know could have grown.
    Gate gate = touching.isEmpty() ? Gate.OPEN : Gate.locked(List.of(book), Batch.newStep());
    SlotWriter.of(List.of(book), gate).send(connection);
    new CountedSpan(start, end).store(connection, row, before, after);
    return allFull ? new Portion.AllFull(end) : new Portion.Enough();
  }

  private static Optional<CountedSpan> next(Connection connection, BookRow row, long startMicros)
      throws SQLException {
    return Sql.first(
        connection, CountedSpan::read, NEXT_SPAN, row.configId(), row.grid(), startMicros);
  }

  /** Whole windows, at least one, with no more slots than a portion may have in all but that. */
  private long end(Connection connection, BookRow row, Terms terms, long start, long limit)
      throws SQLException {
    int id = row.configId();
    int most = slotsAPortion + 1;
    Optional<Long> beyond =
        Sql.first(
            connection,
            found -> found.getLong(1),
            FIRST_BEYOND,
            id,
            start,
            limit,
            most,
            id,
            start,
            limit,
            most,
            slotsAPortion);
    return beyond
        .map(time -> Math.max(terms.windowStart(time), start + terms.windowMicros()))
        .orElse(limit);
  }

  private static List<Page.Run> touchingRuns(
      Connection connection, BookRow row, long start, long end) throws SQLException {
    return new ArrayList<>(
        Sql.list(
            connection,
            found -> new Page.Run(found.getLong(1), found.getLong(2)),
            TOUCHING_RUNS,
            row.configId(),
            row.grid(),
            start,
            row.configId(),
            row.grid(),
            end));
  }
}
