package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.SlotPolicy;
import dev.weir.slots.planning.internal.Page;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.RandomStep;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Counts the windows before the begin of a configuration's grid from their slots, and stores them
 * like those after it, so that nothing is counted twice.
 *
 * <p>Each portion is a transaction with the configuration locked and a bound on what it reads, so
 * other transactions can run in between. A portion that fails leaves nothing behind.
 */
final class PastCount {
  static final int SLOTS_A_PORTION = 4_096;

  /** Time of the first slot after a portion: one range of the index for each state. */
  private static final String FIRST_BEYOND = PastRemoval.firstBeyond(List.of(0, 1));

  /** The run that may touch the begin of a portion, and the one that may touch its end. */
  private static final String TOUCHING_RUNS =
      """
      select a.from_micros, a.until_micros from (
        select from_micros, until_micros from full_run
        where config_id = ? and grid = ? and from_micros < ?
        order by from_micros desc fetch first 1 rows only) a
      union all
      select b.from_micros, b.until_micros from (
        select from_micros, until_micros from full_run
        where config_id = ? and grid = ? and from_micros >= ?
        order by from_micros fetch first 1 rows only) b
      """;

  private static final String NEXT_SPAN =
      """
      select from_micros, until_micros from counted_span
      where config_id = ? and grid = ? and from_micros > ?
      order by from_micros fetch first 1 rows only
      """;

  private final SlotDialect dialect;
  private final StoreClock clock;
  private final int slotsAPortion;

  PastCount(SlotDialect dialect, StoreClock clock, int slotsAPortion) {
    this.dialect = dialect;
    this.clock = clock;
    this.slotsAPortion = slotsAPortion;
  }

  /** The result of counting a portion. */
  sealed interface Portion {
    /** A window has a free place, or the time was counted already: enough to plan again. */
    record Enough() implements Portion {}

    /** Every window is full up to this time. */
    record AllFull(long untilMicros) implements Portion {}
  }

  /** Counts the next windows from a time on. Does not commit. */
  Portion countPortion(Connection connection, String configName, long fromMicros)
      throws SQLException {
    ConfigRow row = dialect.lock(connection, clock, configName).orElseThrow();
    JdbcWindows windows =
        new JdbcWindows(dialect, connection, row, ConfigVersionRow.inForce(connection, row));
    SlotPolicy policy = windows.config().policy();
    long start = policy.windowStart(fromMicros);
    Optional<CountedSpan> before = CountedSpan.notAfter(connection, row, start);
    if (start >= row.sinceMicros() || before.filter(span -> span.covers(start)).isPresent()) {
      return new Portion.Enough();
    }
    Optional<CountedSpan> after = next(connection, row, start);
    long limit =
        Math.min(row.sinceMicros(), after.map(CountedSpan::fromMicros).orElse(row.sinceMicros()));
    long last = end(connection, row, policy, start, limit);
    List<Page.Run> touching = touchingRuns(connection, row, start, last);
    windows.view().add(new Page(start, last, List.of(), touching));
    long end = windows.regroup(start, last);
    boolean allFull = windows.view().isFullUntil(start, end);
    // Always advances: a view that contains these windows must not be current in a database that
    // has lost the count.
    dialect.advancingWriter(List.of(windows), RandomStep.next()).send(connection);
    new CountedSpan(start, end).store(dialect, connection, row, before, after);
    return allFull ? new Portion.AllFull(end) : new Portion.Enough();
  }

  private static Optional<CountedSpan> next(Connection connection, ConfigRow row, long startMicros)
      throws SQLException {
    return Sql.first(
        connection, CountedSpan::read, NEXT_SPAN, row.configId(), row.grid(), startMicros);
  }

  /**
   * Returns the end of a portion: whole windows with up to {@code slotsAPortion} slots, but at
   * least one window.
   */
  private long end(Connection connection, ConfigRow row, SlotPolicy policy, long start, long limit)
      throws SQLException {
    int id = row.configId();
    int max = slotsAPortion + 1;
    Optional<Long> beyond =
        Sql.first(
            connection,
            found -> found.getLong(1),
            FIRST_BEYOND,
            id,
            start,
            limit,
            max,
            id,
            start,
            limit,
            max,
            slotsAPortion);
    return beyond
        .map(time -> Math.max(policy.windowStart(time), start + policy.windowMicros()))
        .orElse(limit);
  }

  private static List<Page.Run> touchingRuns(
      Connection connection, ConfigRow row, long start, long end) throws SQLException {
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
