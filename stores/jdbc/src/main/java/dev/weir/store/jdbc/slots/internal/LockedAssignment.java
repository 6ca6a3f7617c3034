package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.WaitMode;
import dev.weir.slots.internal.BatchPlan;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.RandomStep;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Assigns a batch under lock: lock the configurations, and look up the events if repeated ones are
 * expected; plan; write and commit. In PostgreSQL these are two round trips.
 */
final class LockedAssignment {
  private final SlotDialect dialect;
  private final StoreClock clock;
  private final RandomGenerator random;
  private final NodeState state;
  private final Runnable contended;

  LockedAssignment(
      SlotDialect dialect,
      StoreClock clock,
      RandomGenerator random,
      NodeState state,
      Runnable contended) {
    this.dialect = dialect;
    this.clock = clock;
    this.random = random;
    this.state = state;
    this.contended = contended;
  }

  /**
   * Assigns a batch.
   *
   * @param waitMode whether to wait for a configuration that another transaction has locked, or to
   *     defer its requests
   */
  WrittenBatch assign(Connection connection, List<AssignRequest> requests, WaitMode waitMode)
      throws SQLException {
    Map<String, SlotConfig> expected = new HashMap<>();
    requests.forEach(request -> expected.put(request.config().name(), request.config()));
    boolean lookUp = state.repeats().isExpected();
    Map<String, Slot> known = new HashMap<>();
    List<ConfigRow> rows =
        dialect.lockBatch(
            connection,
            new SlotDialect.BatchLock(
                expected.keySet(),
                waitMode != WaitMode.NONE,
                lookUp ? eventIds(requests) : List.of(),
                state.views(),
                observing(System.nanoTime())),
            known);
    if (lookUp) {
      state.repeats().wasPrepared(!known.isEmpty());
    }
    Map<String, JdbcWindows> opened = open(connection, rows, expected);
    long nowMicros = rows.stream().mapToLong(ConfigRow::nowMicros).max().orElse(0);
    BatchPlan plan =
        BatchPlan.of(requests, known, opened, waitMode, Micros.instant(nowMicros), random);
    if (!lookUp && plan.refusesAny()) {
      // A refused event may have an earlier slot: look the events up and plan again.
      state.repeats().occurred();
      throw new SQLException("a refused event was not looked up", Transactions.TRY_AGAIN);
    }
    int step = plan.fresh().isEmpty() ? 0 : write(connection, plan, known, opened);
    return new WrittenBatch(plan, opened, step);
  }

  private static List<String> eventIds(List<AssignRequest> requests) {
    return requests.stream().map(request -> request.request().eventId()).sorted().toList();
  }

  /** Returns a clock that remembers what the database's clock shows. */
  private StoreClock observing(long sentNanos) {
    return databaseMicros -> {
      state.time().observe(sentNanos, databaseMicros);
      return clock.micros(state.time().steady(databaseMicros));
    };
  }

  private int write(
      Connection connection,
      BatchPlan plan,
      Map<String, Slot> known,
      Map<String, JdbcWindows> opened)
      throws SQLException {
    List<String> ended =
        plan.fresh().stream().map(Slot::eventId).filter(known::containsKey).toList();
    int step = RandomStep.next();
    try {
      dialect
          .advancingWriter(opened.values(), step)
          .slots(plan.fresh(), ended, opened)
          .sendAndCommit(connection);
      return step;
    } catch (SQLException e) {
      // Most likely an event has a slot already. The next attempt looks events up first.
      state.repeats().occurred();
      throw e;
    }
  }

  /** Opens locked configurations, with this node's cached views where they are current. */
  private Map<String, JdbcWindows> open(
      Connection connection, List<ConfigRow> rows, Map<String, SlotConfig> expected)
      throws SQLException {
    Map<String, JdbcWindows> opened = new LinkedHashMap<>();
    long maxBytes = JdbcWindows.shareOf(state.views(), rows.size());
    boolean rivals = false;
    for (ConfigRow row : rows) {
      Optional<OccupancyCache.CachedView> kept = state.views().take(row.name());
      if (kept.isPresent() && kept.get().isCurrent(row)) {
        opened.put(
            row.name(),
            new JdbcWindows(
                dialect, connection, row, kept.get().config(), kept.get().view(), maxBytes));
      } else {
        if (kept.isPresent()) {
          contended.run();
          rivals = true;
        }
        SlotConfig config = Objects.requireNonNull(expected.get(row.name()));
        if (!row.isInForce(config)) {
          config = ConfigVersionRow.inForce(connection, row);
        }
        OccupancyView view = JdbcWindows.emptyView(row, config);
        opened.put(row.name(), new JdbcWindows(dialect, connection, row, config, view, maxBytes));
      }
    }
    state.rivals().wasPrepared(rivals);
    return opened;
  }
}
