package dev.weir.store.jdbc.slots.internal;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.slots.AdoptRequest;
import dev.weir.slots.Adoption;
import dev.weir.slots.AssignReply;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.ForecastResult;
import dev.weir.slots.Overfull;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.Transition;
import dev.weir.slots.WaitMode;
import dev.weir.slots.WindowCount;
import dev.weir.slots.WindowQuery;
import dev.weir.slots.internal.AdoptionPlan;
import dev.weir.slots.internal.BatchPlan;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * A slot ledger in the database.
 *
 * <p>In PostgreSQL a batch is one statement if this node's cached views of the windows are current,
 * otherwise a transaction that locks the configurations first; in Oracle it is always the latter.
 * Either way the configurations are locked before anything is written, so any number of nodes may
 * write concurrently. Thread-safe.
 */
public final class JdbcSlotLedger implements SlotLedger {
  /** Memory of a request besides its window's places. */
  private static final int BYTES_A_REQUEST = 500;

  private final SlotDialect dialect;
  private final Transactions transactions;
  private final StoreClock clock;
  private final NodeState state;
  private final OptimisticAssignment optimistic;
  private final LockedAssignment underLock;
  private final LockedAdoption adoption;
  private final PastCount past;

  /**
   * Where confirmations, cancellations and adoptions wait for slots that other transactions hold.
   */
  private final LockQueue endings;

  /**
   * A ledger in PostgreSQL.
   *
   * @param random thread-safe
   */
  public JdbcSlotLedger(
      DataSource database, StoreClock clock, RandomGenerator random, SlotObserver observer) {
    this(
        Dialect.POSTGRESQL,
        database,
        clock,
        random,
        observer,
        SlotScheduler.Settings.DEFAULT.maxSideLanes());
  }

  /**
   * @param random thread-safe
   * @param maxWaiting max connections used by confirmations and cancellations that wait for the
   *     locks of other transactions
   */
  public JdbcSlotLedger(
      Dialect dialect,
      DataSource database,
      StoreClock clock,
      RandomGenerator random,
      SlotObserver observer,
      int maxWaiting) {
    this(
        SlotDialect.of(dialect),
        database,
        clock,
        random,
        observer,
        PastCount.SLOTS_A_PORTION,
        new NodeState(),
        new LockQueue(2, maxWaiting));
  }

  /**
   * Returns a ledger in Oracle.
   *
   * @param isSingleRoundTrip whether small batches are sent as one PL/SQL block, which is not
   *     proven on an Oracle server
   */
  public static JdbcSlotLedger inOracle(
      boolean isSingleRoundTrip,
      DataSource database,
      StoreClock clock,
      RandomGenerator random,
      SlotObserver observer,
      int maxWaiting) {
    return new JdbcSlotLedger(
        new OracleSlots(isSingleRoundTrip),
        database,
        clock,
        random,
        observer,
        PastCount.SLOTS_A_PORTION,
        new NodeState(),
        new LockQueue(2, maxWaiting));
  }

  /**
   * @param slotsAPortion how many slots of the past are counted in one transaction
   * @param state what this node keeps between batches
   */
  JdbcSlotLedger(
      SlotDialect dialect,
      DataSource database,
      StoreClock clock,
      RandomGenerator random,
      SlotObserver observer,
      int slotsAPortion,
      NodeState state,
      LockQueue endings) {
    this.dialect = dialect;
    this.endings = endings;
    this.state = state;
    this.past = new PastCount(dialect, clock, slotsAPortion);
    this.transactions =
        Transactions.waitingForLocks(dialect.database(), database, observer::contended);
    this.clock = clock;
    this.optimistic = new OptimisticAssignment(dialect, clock, random, state, observer::contended);
    this.underLock = new LockedAssignment(dialect, clock, random, state, observer::contended);
    this.adoption = new LockedAdoption(dialect, clock, state);
  }

  /** Requests that need windows of the past to be counted are retried after each count. */
  @Override
  public List<Assignment> assign(List<AssignRequest> requests) {
    Map<Integer, Assignment> results = new HashMap<>();
    List<Integer> open = IntStream.range(0, requests.size()).boxed().toList();
    BatchPlan plan = batch(requests, WaitMode.FOR_ALL);
    while (true) {
      List<Integer> deferred = new ArrayList<>();
      for (int i = 0; i < open.size(); i++) {
        if (plan.replies().get(i) instanceof Assignment assignment) {
          results.put(open.get(i), assignment);
        } else {
          deferred.add(open.get(i));
        }
      }
      if (deferred.isEmpty()) {
        return IntStream.range(0, requests.size()).mapToObj(results::get).toList();
      }
      open = deferred;
      List<AssignRequest> left = open.stream().map(requests::get).toList();
      Map<String, Long> uncounted = plan.uncounted();
      plan =
          results.isEmpty()
              ? countAndRetry(left, uncounted)
              : StoreException.afterDone(() -> countAndRetry(left, uncounted));
    }
  }

  private BatchPlan countAndRetry(List<AssignRequest> requests, Map<String, Long> uncounted) {
    if (!areRepeats(requests)) {
      uncounted.forEach(this::count);
    }
    // Under the lock: an outdated view would keep missing the same windows.
    return batchUnderLock(requests, WaitMode.FOR_ALL);
  }

  /**
   * Returns true if some events have slots already. Those need no windows: the next attempt looks
   * the events up.
   */
  private boolean areRepeats(List<AssignRequest> requests) {
    if (state.repeats().isExpected()) {
      return false;
    }
    List<String> eventIds = requests.stream().map(request -> request.request().eventId()).toList();
    boolean found = transactions.read(connection -> dialect.isAnyKnown(connection, eventIds));
    if (found) {
      state.repeats().occurred();
    }
    return found;
  }

  /** Counts windows from a time on until one has a free place, each portion in a transaction. */
  private void count(String configName, long fromMicros) {
    PastCount.Portion portion = new PastCount.Portion.AllFull(fromMicros);
    while (portion instanceof PastCount.Portion.AllFull full) {
      portion =
          transactions.write(
              connection -> past.countPortion(connection, configName, full.untilMicros()));
    }
  }

  /** Each request may change its own window, which is held in memory until it is written. */
  @Override
  public int batchSize(List<AssignRequest> requests) {
    long maxBytes = state.views().maxBytes() / 2;
    long bytes = 0;
    for (int i = 0; i < requests.size(); i++) {
      bytes += BYTES_A_REQUEST + requests.get(i).config().policy().maxPerWindow() / Byte.SIZE;
      if (bytes > maxBytes && i > 0) {
        return i;
      }
    }
    return requests.size();
  }

  @Override
  public List<AssignReply> attempt(List<AssignRequest> requests, WaitMode waitMode) {
    return batch(requests, waitMode).replies();
  }

  private BatchPlan batch(List<AssignRequest> requests, WaitMode waitMode) {
    Optional<WrittenBatch> batch = optimistic.assign(transactions, requests, waitMode);
    batch.ifPresent(done -> done.cacheViews(state.views()));
    return batch.map(WrittenBatch::plan).orElseGet(() -> batchUnderLock(requests, waitMode));
  }

  private BatchPlan batchUnderLock(List<AssignRequest> requests, WaitMode waitMode) {
    WrittenBatch batch =
        transactions.write(connection -> underLock.assign(connection, requests, waitMode));
    batch.cacheViews(state.views());
    return batch.plan();
  }

  /** Counts the windows of the past that it needs, and then begins again. */
  @Override
  public List<Adoption> adopt(String configName, List<AdoptRequest> requests, Overfull overfull) {
    while (true) {
      AdoptionPlan plan =
          inTurn(configName, on -> adoption.adopt(on, configName, requests, overfull));
      if (plan.uncounted().isEmpty()) {
        // The cached view is stale now.
        state.views().take(configName);
        return plan.results();
      }
      for (long start : plan.uncounted()) {
        inTurn(configName, on -> past.countPortion(on, configName, start));
      }
    }
  }

  private <T> T inTurn(String configName, Transactions.Work<T> work) {
    return endings.run(configName, () -> transactions.write(work));
  }

  @Override
  public Transition confirm(String eventId) {
    return end(
        connection -> SlotEndings.confirmIfFree(dialect, connection, eventId),
        connection -> SlotEndings.confirm(dialect, connection, eventId));
  }

  @Override
  public Transition cancel(String eventId) {
    Transition transition =
        end(
            connection ->
                SlotEndings.cancelIfFree(
                    dialect, connection, eventId, name -> lockIfFree(connection, name)),
            connection -> SlotEndings.cancel(dialect, connection, clock, eventId));
    if (transition instanceof Transition.Done done) {
      // This cancellation made the cached view stale.
      state.views().take(done.slot().configName());
    }
    return transition;
  }

  /** Leaves the lock to earlier callers that wait for it. */
  private Optional<ConfigRow> lockIfFree(Connection connection, String configName)
      throws SQLException {
    return endings.isUsed(configName)
        ? Optional.empty()
        : dialect.lockIfFree(connection, clock, configName);
  }

  /** Tries without waiting for locks; if another transaction holds one, waits in the queue. */
  private Transition end(
      Transactions.Work<SlotEndings.Ending> attempt, Transactions.Work<Transition> waiting) {
    return switch (transactions.write(attempt)) {
      case SlotEndings.Ending.Ended ended -> ended.transition();
      case SlotEndings.Ending.Locked locked -> inTurn(locked.configName(), waiting);
    };
  }

  @Override
  public Optional<Slot> find(String eventId) {
    return transactions.read(connection -> SlotReads.find(connection, eventId));
  }

  @Override
  public List<Slot> list(SlotQuery query) {
    return transactions.snapshot(
        connection -> SlotReads.list(dialect, connection, query, now(connection)));
  }

  @Override
  public List<WindowCount> windows(WindowQuery query) {
    return transactions.snapshot(
        connection -> SlotReads.windows(dialect, connection, clock, query));
  }

  @Override
  public ForecastResult forecast(SlotConfig config, Instant from, long events) {
    // One snapshot, so that all pages show the same state.
    return transactions.snapshot(
        connection -> SlotReads.forecast(dialect, connection, clock, config, from, events));
  }

  @Override
  public Instant now() {
    return transactions.read(connection -> Micros.instant(now(connection)));
  }

  private long now(Connection connection) throws SQLException {
    return ClockReading.now(connection, dialect.database(), clock);
  }
}
