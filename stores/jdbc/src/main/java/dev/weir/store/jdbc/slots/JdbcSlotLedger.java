package dev.weir.store.jdbc.slots;

import dev.weir.core.Micros;
import dev.weir.engine.StoreException;
import dev.weir.engine.slots.AssignReply;
import dev.weir.engine.slots.AssignRequest;
import dev.weir.engine.slots.Assignment;
import dev.weir.engine.slots.BatchPlan;
import dev.weir.engine.slots.ForecastResult;
import dev.weir.engine.slots.Slot;
import dev.weir.engine.slots.SlotConfig;
import dev.weir.engine.slots.SlotLedger;
import dev.weir.engine.slots.SlotObserver;
import dev.weir.engine.slots.SlotQuery;
import dev.weir.engine.slots.SlotScheduler;
import dev.weir.engine.slots.Transition;
import dev.weir.engine.slots.WaitMode;
import dev.weir.engine.slots.WindowCount;
import dev.weir.engine.slots.WindowQuery;
import dev.weir.store.jdbc.Sql;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.Transactions;
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
 * The ledger in PostgreSQL.
 *
 * <p>A batch is one statement if this node's pictures of the books are still true, else a
 * transaction under the books' locks. Either way the rows in {@code slot_book} are locked before
 * anything is written, so any number of nodes is right by construction.
 */
public final class JdbcSlotLedger implements SlotLedger {
  /** What a demand takes besides its window's places. */
  private static final int BYTES_A_DEMAND = 500;

  private final Transactions transactions;
  private final StoreClock clock;
  private final NodeState memory;
  private final OptimisticAssignment atOnce;
  private final LockedAssignment underLock;
  private final PastCount past;

  /** For endings of slots that other transactions hold. */
  private final LockQueue endings;

  /**
   * @param random safe for use by several threads
   */
  public JdbcSlotLedger(
      DataSource database, StoreClock clock, RandomGenerator random, SlotObserver observer) {
    this(database, clock, random, observer, SlotScheduler.Settings.DEFAULT.maxAside());
  }

  /**
   * @param random safe for use by several threads
   * @param maxWaiting max connections that wait until other transactions release the slots that are
   *     confirmed or cancelled
   */
  public JdbcSlotLedger(
      DataSource database,
      StoreClock clock,
      RandomGenerator random,
      SlotObserver observer,
      int maxWaiting) {
    this(
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
   * @param memory what this node remembers
   */
  JdbcSlotLedger(
      DataSource database,
      StoreClock clock,
      RandomGenerator random,
      SlotObserver observer,
      int slotsAPortion,
      NodeState memory,
      LockQueue endings) {
    this.endings = endings;
    this.memory = memory;
    this.past = new PastCount(clock, slotsAPortion);
    this.transactions = new Transactions(database, observer::contended);
    this.clock = clock;
    this.atOnce = new OptimisticAssignment(clock, random, memory, observer::contended);
    this.underLock = new LockedAssignment(clock, random, memory, observer::contended);
  }

  /**
   * As often as the past has to be counted further, the demands that wait for it are tried again.
   */
  @Override
  public List<Assignment> assign(List<AssignRequest> demands) {
    Map<Integer, Assignment> answers = new HashMap<>();
    List<Integer> open = IntStream.range(0, demands.size()).boxed().toList();
    BatchPlan plan = batch(demands, WaitMode.FOR_ALL);
    while (true) {
      List<Integer> deferred = new ArrayList<>();
      for (int i = 0; i < open.size(); i++) {
        if (plan.replies().get(i) instanceof Assignment answer) {
          answers.put(open.get(i), answer);
        } else {
          deferred.add(open.get(i));
        }
      }
      if (deferred.isEmpty()) {
        return IntStream.range(0, demands.size()).mapToObj(answers::get).toList();
      }
      open = deferred;
      List<AssignRequest> left = open.stream().map(demands::get).toList();
      Map<String, Long> uncounted = plan.uncounted();
      plan =
          answers.isEmpty()
              ? countAndTryAgain(left, uncounted)
              : StoreException.afterDone(() -> countAndTryAgain(left, uncounted));
    }
  }

  private BatchPlan countAndTryAgain(List<AssignRequest> demands, Map<String, Long> uncounted) {
    if (!areRepeats(demands)) {
      uncounted.forEach(this::count);
    }
    // Under the lock: an outdated picture would lack the same windows again and again.
    return batchUnderLock(demands, WaitMode.FOR_ALL);
  }

  /** Events that have their slots need no windows: the next try looks for them. */
  private boolean areRepeats(List<AssignRequest> demands) {
    if (memory.repeats().expected()) {
      return false;
    }
    String[] eventIds =
        demands.stream().map(demand -> demand.request().eventId()).toArray(String[]::new);
    boolean found =
        transactions.read(
            connection ->
                Sql.first(
                        connection,
                        row -> true,
                        "select 1 from slot where event_id = any(?) limit 1",
                        (Object) eventIds)
                    .isPresent());
    if (found) {
      memory.repeats().met();
    }
    return found;
  }

  /** Counts windows from a time on until one with room is found, each portion a transaction. */
  private void count(String configName, long fromMicros) {
    PastCount.Portion portion = new PastCount.Portion.AllFull(fromMicros);
    while (portion instanceof PastCount.Portion.AllFull full) {
      portion =
          transactions.write(
              connection -> past.countPortion(connection, configName, full.untilMicros()));
    }
  }

  /** Each demand may change a window of its own, which is held in memory until it is written. */
  @Override
  public int fitting(List<AssignRequest> demands) {
    long mostBytes = memory.pictures().mostBytes() / 2;
    long bytes = 0;
    for (int i = 0; i < demands.size(); i++) {
      bytes += BYTES_A_DEMAND + demands.get(i).config().terms().maxPerWindow() / Byte.SIZE;
      if (bytes > mostBytes && i > 0) {
        return i;
      }
    }
    return demands.size();
  }

  @Override
  public List<AssignReply> attempt(List<AssignRequest> demands, WaitMode patience) {
    return batch(demands, patience).replies();
  }

  private BatchPlan batch(List<AssignRequest> demands, WaitMode patience) {
    Optional<WrittenBatch> batch = atOnce.assign(transactions, demands, patience);
    batch.ifPresent(done -> done.bringBackPictures(memory.pictures()));
    return batch.map(WrittenBatch::plan).orElseGet(() -> batchUnderLock(demands, patience));
  }

  private BatchPlan batchUnderLock(List<AssignRequest> demands, WaitMode patience) {
    WrittenBatch batch =
        transactions.write(connection -> underLock.assign(connection, demands, patience));
    batch.bringBackPictures(memory.pictures());
    return batch.plan();
  }

  @Override
  public Transition confirm(String eventId) {
    return end(
        connection -> SlotEndings.confirm(connection, eventId, false),
        connection -> SlotEndings.confirm(connection, eventId, true));
  }

  @Override
  public Transition cancel(String eventId) {
    Transition transition =
        end(
            connection ->
                SlotEndings.cancel(connection, eventId, name -> lockIfFree(connection, name)),
            connection ->
                SlotEndings.cancel(
                    connection, eventId, name -> BookRow.lock(connection, clock, name)));
    if (transition instanceof Transition.Done done) {
      // Not true any more, by our own doing: nobody has to find out.
      memory.pictures().take(done.slot().configName());
    }
    return transition;
  }

  /** Callers that came before and wait for the book have precedence. */
  private Optional<BookRow> lockIfFree(Connection connection, String configName)
      throws SQLException {
    return endings.isUsed(configName)
        ? Optional.empty()
        : BookRow.lockIfFree(connection, clock, configName);
  }

  /** Tries without waiting for a lock; if that is not possible, waits in the queue. */
  private Transition end(
      Transactions.Work<SlotEndings.Ending> attempt,
      Transactions.Work<SlotEndings.Ending> waiting) {
    return switch (transactions.write(attempt)) {
      case SlotEndings.Ending.Ended ended -> ended.transition();
      case SlotEndings.Ending.Held held ->
          endings.run(held.configName(), () -> transactions.write(waiting)).waitedFor();
    };
  }

  @Override
  public Optional<Slot> find(String eventId) {
    return transactions.read(connection -> SlotReads.find(connection, eventId));
  }

  @Override
  public List<Slot> list(SlotQuery query) {
    return transactions.snapshot(connection -> SlotReads.list(connection, query, now(connection)));
  }

  @Override
  public List<WindowCount> windows(WindowQuery query) {
    return transactions.snapshot(connection -> SlotReads.windows(connection, clock, query));
  }

  @Override
  public ForecastResult forecast(SlotConfig config, Instant from, long events) {
    // One transaction, so that all pages are of one state.
    return transactions.snapshot(
        connection -> SlotReads.forecast(connection, clock, config, from, events));
  }

  @Override
  public Instant now() {
    return transactions.read(connection -> Micros.instant(now(connection)));
  }

  private long now(Connection connection) throws SQLException {
    return Sql.now(connection, clock);
  }
}
