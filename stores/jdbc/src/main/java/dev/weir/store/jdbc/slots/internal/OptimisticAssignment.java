package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.NotBefore;
import dev.weir.slots.WaitMode;
import dev.weir.slots.internal.BatchPlan;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.RandomStep;
import dev.weir.store.jdbc.internal.Transactions;
import dev.weir.store.jdbc.internal.UnknownOutcomeException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * Assigns a batch without locking first: plans from this node's cached views, and sends one
 * auto-commit statement that writes only if they are still current. Pages that a view lacks are
 * read without the lock: if the view is current in the end, so was the page.
 *
 * <p>Gives up, with nothing written, wherever {@link LockedAssignment} is more likely to succeed.
 */
final class OptimisticAssignment {
  private final SlotDialect dialect;
  private final StoreClock clock;
  private final RandomGenerator random;
  private final NodeState state;
  private final Runnable contended;

  OptimisticAssignment(
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
   * Assigns a batch; empty if it gave up and nothing was written.
   *
   * @param waitMode whether to wait for a configuration that another transaction has locked
   */
  Optional<WrittenBatch> assign(
      Transactions transactions, List<AssignRequest> requests, WaitMode waitMode) {
    if (!dialect.isOptimistic(requests)
        || state.repeats().isExpected()
        || state.rivals().isExpected()) {
      return Optional.empty();
    }
    Set<String> names = new TreeSet<>();
    requests.forEach(request -> names.add(request.config().name()));
    Map<String, OccupancyCache.CachedView> kept = state.views().takeAll(names);
    return kept.isEmpty()
        ? Optional.empty()
        : transactions.attempt(connection -> assign(connection, requests, kept, waitMode));
  }

  private Optional<WrittenBatch> assign(
      Connection connection,
      List<AssignRequest> requests,
      Map<String, OccupancyCache.CachedView> kept,
      WaitMode waitMode)
      throws SQLException {
    EstimatedClock.Precision precision = precision(requests, kept.values());
    OptionalLong estimated = state.time().databaseMicros(System.nanoTime(), precision);
    if (estimated.isEmpty()) {
      kept.values().forEach(state.views()::putBack);
      return Optional.empty();
    }
    Map<String, JdbcWindows> opened = new TreeMap<>();
    long maxBytes = JdbcWindows.shareOf(state.views(), kept.size());
    kept.forEach(
        (name, known) ->
            opened.put(
                name,
                new JdbcWindows(
                    dialect, connection, known.row(), known.config(), known.view(), maxBytes)));
    // Fetching large pages in portions requires a transaction in PostgreSQL. Usually no page is
    // read, and then this costs nothing there; in Oracle it would cost a round trip.
    boolean needsTransaction = dialect.database() == Dialect.POSTGRESQL;
    if (needsTransaction) {
      connection.setAutoCommit(false);
    }
    BatchPlan plan =
        BatchPlan.of(
            requests,
            Map.of(),
            opened,
            waitMode,
            Micros.instant(clock.micros(estimated.getAsLong())),
            random);
    if (needsTransaction) {
      connection.setAutoCommit(true);
    }
    if (plan.refusesAny()) {
      // A refused event may have an earlier slot: look the events up and plan again.
      state.repeats().occurred();
      return Optional.empty();
    }
    if (plan.fresh().isEmpty()) {
      // All requests are deferred, so there is nothing to write.
      return Optional.of(new WrittenBatch(plan, opened, 0));
    }
    // In the order in which all transactions lock.
    List<JdbcWindows> inOrder =
        opened.values().stream()
            .sorted(Comparator.comparingInt(windows -> windows.row().configId()))
            .toList();
    WrittenBatch batch = new WrittenBatch(plan, opened, RandomStep.next());
    boolean waits = waitMode != WaitMode.NONE;
    return write(
        connection,
        batch,
        dialect.optimisticWriter(inOrder, batch.step(), estimated.getAsLong(), precision, waits));
  }

  private static EstimatedClock.Precision precision(
      List<AssignRequest> requests, Collection<OccupancyCache.CachedView> kept) {
    boolean decides =
        kept.stream().anyMatch(known -> known.config().policy().notBefore() == NotBefore.NOW)
            || requests.stream().anyMatch(request -> request.request().requestedTime().isEmpty());
    return decides ? EstimatedClock.Precision.FOR_PLANNING : EstimatedClock.Precision.FOR_RECORD;
  }

  private Optional<WrittenBatch> write(
      Connection connection, WrittenBatch batch, OptimisticWriter writer) throws SQLException {
    long sentNanos = System.nanoTime();
    try {
      OptimisticWriter filled = writer.slots(batch.plan().fresh(), batch.configs());
      if (!filled.fits()) {
        return Optional.empty();
      }
      OptionalLong databaseMicros =
          UnknownOutcomeException.committing(() -> filled.sendIfCurrent(connection));
      if (databaseMicros.isEmpty()) {
        contended.run();
        state.rivals().occurred();
        return Optional.empty();
      }
      state.time().observe(sentNanos, databaseMicros.getAsLong());
      return Optional.of(batch);
    } catch (SQLException e) {
      // Most likely an event has a slot already. The next attempt looks events up first.
      state.repeats().occurred();
      throw e;
    }
  }
}
