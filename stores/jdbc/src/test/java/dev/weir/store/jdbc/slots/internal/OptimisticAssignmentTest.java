package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.Calendar;
import dev.weir.slots.NotBefore;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.Spread;
import dev.weir.slots.WaitMode;
import dev.weir.slots.WindowCount;
import dev.weir.slots.WindowQuery;
import dev.weir.slots.planning.internal.PolicyTimes;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Transactions;
import dev.weir.store.tck.slots.Node;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches planned without the lock, and changes that happen before they are written. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OptimisticAssignmentTest {
  private static final SlotDialect DIALECT = SlotDialect.of(Dialect.POSTGRESQL);

  private static final StoreClock CLOCK = StoreClock.DATABASE;

  private final Database database = Database.get();
  private final AtomicInteger contended = new AtomicInteger();
  private final Transactions transactions =
      new Transactions(Dialect.POSTGRESQL, database.pool(), () -> {});
  private final NodeState state = new NodeState();
  private final OptimisticAssignment optimistic =
      new OptimisticAssignment(DIALECT, CLOCK, new Random(1), state, contended::incrementAndGet);
  private final Node other = Database.node(database.otherPool(), CLOCK, SlotObserver.NONE);
  private final Account account = Account.open(other, 10);
  private final Account second = Account.open(other, 10);

  /** Returns a node that has just assigned these under the lock, so that it has current views. */
  private void know(List<AssignRequest> requests) {
    transactions
        .write(
            connection ->
                new LockedAssignment(DIALECT, CLOCK, new Random(1), state, () -> {})
                    .assign(connection, requests, WaitMode.FOR_LOCKS))
        .cacheViews(state.views());
  }

  private Optional<List<Assignment>> tryOptimistic(List<AssignRequest> requests) {
    Optional<WrittenBatch> batch = optimistic.assign(transactions, requests, WaitMode.FOR_LOCKS);
    batch.ifPresent(done -> done.cacheViews(state.views()));
    return batch.map(done -> done.plan().assignments());
  }

  private List<AssignRequest> one(String event) {
    return List.of(account.request(event, Account.NOON));
  }

  private List<AssignRequest> both(String event) {
    return List.of(account.request(event, Account.NOON), second.request(event, Account.NOON));
  }

  private Slot only(Optional<List<Assignment>> answers) {
    assertThat(answers).isPresent();
    return Account.slot(answers.get().getFirst());
  }

  private int taken(Account of) {
    WindowQuery query =
        WindowQuery.of(of.config())
            .from(Account.NOON)
            .until(Account.NOON.plusSeconds(3_600))
            .limit(100);
    return other.ledger().windows(query).stream().mapToInt(WindowCount::taken).sum();
  }

  @Test
  void writesWhatTheLedgerThenFinds() {
    know(one("a"));

    Slot slot = only(tryOptimistic(one("b")));

    assertThat(slot.place()).isOne();
    assertThat(other.ledger().find(account.id("b"))).contains(slot);
    assertThat(taken(account)).isEqualTo(2);
    assertThat(contended).hasValue(0);
  }

  @Test
  void nothingIsAttemptedForAConfigurationWithoutAView() {
    know(one("a"));

    assertThat(tryOptimistic(both("b"))).isEmpty();
    // The cached view is left unchanged.
    assertThat(only(tryOptimistic(one("c"))).place()).isOne();
  }

  @Test
  void writesNothingAfterAnotherNodeHasWritten() {
    know(one("a"));
    account.assign(other, "b", Account.NOON);

    assertThat(tryOptimistic(one("c"))).isEmpty();
    assertThat(other.ledger().find(account.id("c"))).isEmpty();
    assertThat(taken(account)).isEqualTo(2);
    assertThat(contended).hasValue(1);
  }

  @Test
  void writesNothingAfterAnotherNodeHasChangedThePolicy() {
    know(one("a"));
    other.configs().configure(account.config().name(), SlotPolicy.of(10, Duration.ofSeconds(4)));

    assertThat(tryOptimistic(one("b"))).isEmpty();
    assertThat(other.ledger().find(account.id("b"))).isEmpty();
  }

  @Test
  void writesNothingAfterAnotherNodeHasCancelled() {
    know(one("a"));
    other.ledger().cancel(account.id("a"));

    assertThat(tryOptimistic(one("b"))).isEmpty();
    assertThat(other.ledger().find(account.id("b"))).isEmpty();
  }

  /** The statement's view of the windows is older than the lock that it waited for. */
  @Test
  void writesNothingIfItWasOvertakenWhileItWaitedForTheLock() throws Exception {
    know(one("a"));
    try (Connection overtaker = lock(account)) {
      FutureTask<Optional<List<Assignment>>> trying = trying(one("c"));
      awaitWaiting();
      new LockedAssignment(DIALECT, CLOCK, new Random(1), new NodeState(), () -> {})
          .assign(overtaker, account.requests("b", 9, Account.NOON), WaitMode.FOR_LOCKS);
      overtaker.commit();

      assertThat(trying.get()).isEmpty();
    }
    assertThat(other.ledger().find(account.id("c"))).isEmpty();
    assertThat(taken(account)).isEqualTo(10);
  }

  @Test
  void writesIfTheTransactionThatHeldTheLockRolledBack() throws Exception {
    know(one("a"));
    try (Connection holder = lock(account)) {
      FutureTask<Optional<List<Assignment>>> trying = trying(one("b"));
      awaitWaiting();
      holder.rollback();

      assertThat(only(trying.get()).place()).isOne();
    }
    assertThat(taken(account)).isEqualTo(2);
  }

  @Test
  void writesToAllConfigurationsOrToNone() {
    know(both("a"));
    assertThat(tryOptimistic(both("b"))).isPresent();
    second.assign(other, "c", Account.NOON);

    assertThat(tryOptimistic(both("d"))).isEmpty();
    assertThat(other.ledger().find(account.id("d"))).isEmpty();
    assertThat(other.ledger().find(second.id("d"))).isEmpty();
    assertThat(taken(account)).isEqualTo(2);
    assertThat(taken(second)).isEqualTo(3);
  }

  @Test
  void repeatedEventIsLeftToTheLockedAssignment() {
    know(one("a"));

    assertThat(tryOptimistic(List.of(account.request("b", Account.NOON), one("a").getFirst())))
        .isEmpty();
    assertThat(other.ledger().find(account.id("b"))).isEmpty();
    assertThat(state.repeats().isExpected()).isTrue();
    assertThat(tryOptimistic(one("c"))).isEmpty();
  }

  @Test
  void pageThatTheViewLacksIsReadOnTheWay() {
    know(one("a"));
    Instant before = Account.NOON.minusSeconds(3_600);
    // Nothing has changed since, but this node has not seen it.
    Database.execute(
        database.pool(),
        """
        insert into slot_window (config_id, grid, start_micros, taken, off_grid, is_full, places)
        select config_id, grid, %d, 2, 0, false, '\\x03' from slot_config where name = '%s'
        """
            .formatted(before.getEpochSecond() * 1_000_000, account.config().name()));

    Slot slot = only(tryOptimistic(List.of(account.request("b", before))));

    assertThat(slot.windowStart()).isEqualTo(before);
    assertThat(slot.place()).isEqualTo(2);
  }

  @Test
  void eventForNowGetsNoTimeBeforeTheDatabasesOwn() {
    Instant before;
    Optional<List<Assignment>> answers;
    int tries = 0;
    do {
      // On a busy machine too much time may pass, and the attempt gives up.
      know(one("a" + tries));
      tries++;
      before = other.ledger().now();
      answers = tryOptimistic(List.of(forNow(account.config().name())));
    } while (answers.isEmpty());

    Slot slot = only(answers);
    assertThat(slot.requestedTime()).isAfterOrEqualTo(before).isEqualTo(slot.assignedAt());
    assertThat(slot.scheduledTime()).isAfterOrEqualTo(before);
  }

  @Test
  void timeThatDiffersFromTheDatabasesIsRejected() {
    know(one("a"));
    long falseMicros = Account.NOON.getEpochSecond() * 1_000_000;
    state.time().observe(System.nanoTime(), falseMicros);

    assertThat(tryOptimistic(List.of(forNow(account.config().name())))).isEmpty();
    assertThat(taken(account)).isOne();
  }

  @Test
  void timeCountsWherePoliciesAllowNoPast() {
    SlotPolicy policy =
        PolicyTimes.policy(
            10,
            4_000_000,
            Spread.EVEN,
            PolicyTimes.UNBOUNDED,
            NotBefore.NOW,
            Calendar.ALWAYS,
            PolicyTimes.NOT_PAUSED);
    Account strict = new Account(other.configs().configure("a-" + UUID.randomUUID(), policy));
    know(List.of(strict.request("a", Account.NOON)));
    long aSecondAgo = System.nanoTime() - 1_100_000_000;
    state.time().observe(aSecondAgo, other.ledger().now().toEpochMilli() * 1_000 - 1_100_000);

    assertThat(tryOptimistic(List.of(strict.request("b", Account.NOON)))).isEmpty();
    assertThat(contended).hasValue(0);
  }

  /** Each of two nodes repeatedly assumes that it is alone. */
  @Test
  void nodesThatRaceLeaveNoGapAndNoWindowOverItsLimit() throws Exception {
    Node one = Database.node(database.pool(), CLOCK, SlotObserver.NONE);
    List<FutureTask<List<Slot>>> racing =
        Stream.of(one, other).map(node -> racing(node, "race-" + node.hashCode() + "-")).toList();
    List<Slot> given = new ArrayList<>();
    for (FutureTask<List<Slot>> racer : racing) {
      given.addAll(racer.get());
    }

    assertThat(given.stream().map(Slot::scheduledTime).distinct()).hasSize(600);
    assertThat(given.stream().map(Slot::windowStart).distinct()).hasSize(60);
    assertThat(taken(account)).isEqualTo(600);
  }

  private FutureTask<List<Slot>> racing(Node node, String prefix) {
    FutureTask<List<Slot>> task =
        new FutureTask<>(
            () -> {
              List<Slot> given = new ArrayList<>();
              for (int i = 0; i < 300; i++) {
                given.add(account.assign(node, prefix + i, Account.NOON));
              }
              return given;
            });
    Thread.ofVirtual().start(task);
    return task;
  }

  private AssignRequest forNow(String configName) {
    return new AssignRequest(
        SlotRequest.now(configName + "/" + UUID.randomUUID(), configName), account.config());
  }

  private FutureTask<Optional<List<Assignment>>> trying(List<AssignRequest> requests) {
    FutureTask<Optional<List<Assignment>>> task = new FutureTask<>(() -> tryOptimistic(requests));
    Thread.ofVirtual().start(task);
    return task;
  }

  private Connection lock(Account of) throws SQLException {
    Connection connection = database.otherPool().getConnection();
    connection.setAutoCommit(false);
    DIALECT.lock(connection, CLOCK, of.config().name());
    return connection;
  }

  private void awaitWaiting() {
    Database.awaitNumber(
        database.otherPool(),
        1,
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock'");
  }
}
