package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AssignReply;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotState;
import dev.weir.slots.SlotStore;
import dev.weir.slots.Transition;
import dev.weir.slots.WaitMode;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.slots.Node;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Another transaction has locked a configuration: only requests for that one wait. They do so for
 * less than a minute, in which a busy machine does not do much.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LockedConfigurationTest {
  private static final SlotDialect DIALECT = SlotDialect.of(Dialect.POSTGRESQL);

  private final Database database = Database.get();
  private final Node node = Database.node(database.pool(), StoreClock.DATABASE, SlotObserver.NONE);
  private final Account held = Account.open(node, 1);
  private final Account free = Account.open(node, 1);
  private final SlotScheduler scheduler =
      SlotScheduler.on(SlotStore.of(node.ledger(), node.configs(), node.upkeep(), () -> {}));

  /** One that stays open would hold the lock of the upkeep now and then, while other tests run. */
  @AfterEach
  void close() {
    scheduler.close();
  }

  private Connection lock(Account account) throws SQLException {
    Connection connection = database.otherPool().getConnection();
    connection.setAutoCommit(false);
    assertThat(DIALECT.lock(connection, StoreClock.DATABASE, account.config().name())).isPresent();
    return connection;
  }

  private static SlotRequest request(Account account, String event) {
    return account.request(event, Account.NOON).request();
  }

  private static Slot slot(List<Assignment> answers) {
    return Account.slot(answers.getFirst());
  }

  @Test
  void othersAreAnsweredAndItsOwnKeepTheirOrder() throws Exception {
    List<SlotScheduler.Pending> late = new ArrayList<>();
    try (Connection holder = lock(held)) {
      for (int i = 0; i < 5; i++) {
        SlotScheduler.Pending pending = scheduler.submit(List.of(request(held, "held" + i)));
        Thread.ofVirtual().start(pending::await);
        // In the same lane, before and after this node knows that the other one is locked.
        assertThat(slot(scheduler.assign(List.of(request(free, "free" + i)))).windowStart())
            .isEqualTo(Account.NOON.plusSeconds(4L * i));
      }
      assertThat(node.ledger().find(held.id("held0"))).isEmpty();
      for (int i = 5; i < 10; i++) {
        late.add(scheduler.submit(List.of(request(held, "held" + i), request(free, "free" + i))));
      }
      holder.rollback();
    }
    late.forEach(pending -> assertThat(pending.await()).hasSize(2));
    for (int i = 0; i < 10; i++) {
      assertThat(slot(scheduler.assign(List.of(request(held, "held" + i)))).windowStart())
          .isEqualTo(Account.NOON.plusSeconds(4L * i));
    }
    // And back in the common lane.
    assertThat(slot(scheduler.assign(List.of(request(held, "last")))).windowStart())
        .isEqualTo(Account.NOON.plusSeconds(4L * 10));
  }

  /** With cached views of both configurations and without: by one statement, and under lock. */
  @Test
  void batchServesTheConfigurationsThatAreFree() throws Exception {
    for (int round = 0; round < 3; round++) {
      List<AssignRequest> both =
          List.of(
              held.request("a" + round, Account.NOON),
              free.request("b" + round, Account.NOON),
              held.request("c" + round, Account.NOON));
      try (Connection holder = lock(held)) {
        List<? extends AssignReply> replies = node.ledger().attempt(both, WaitMode.NONE);
        assertThat(replies.get(0)).isEqualTo(AssignReply.Deferred.LOCKED);
        assertThat(replies.get(1)).isInstanceOf(Assignment.Assigned.class);
        assertThat(replies.get(2)).isEqualTo(AssignReply.Deferred.LOCKED);
        holder.rollback();
      }
      assertThat(node.ledger().find(held.id("a" + round))).isEmpty();
      assertThat(node.ledger().assign(both)).allMatch(Assignment.Assigned.class::isInstance);
    }
  }

  @Test
  void waitsForTheLockIfTheModeSaysSo() throws Exception {
    List<AssignRequest> requests = held.requests("e", 3, Account.NOON);
    Thread waiter;
    List<AssignReply> replies = new ArrayList<>();
    try (Connection holder = lock(held)) {
      waiter =
          Thread.ofVirtual()
              .start(() -> replies.addAll(node.ledger().attempt(requests, WaitMode.FOR_LOCKS)));
      Database.awaitNumber(
          database.otherPool(),
          1,
          "select count(*) from pg_stat_activity where wait_event_type = 'Lock'");
      holder.rollback();
    }
    waiter.join();
    assertThat(replies).hasSize(3).allMatch(Assignment.Assigned.class::isInstance);
  }

  /** More configurations are locked than may be waited for at a time. */
  @Test
  void manyHeldConfigurationsLeaveConnectionsToOthers() throws Exception {
    List<Account> all = Stream.generate(() -> Account.open(node, 1)).limit(14).toList();
    try (Connection holder = database.otherPool().getConnection()) {
      holder.setAutoCommit(false);
      for (Account account : all) {
        assertThat(DIALECT.lock(holder, StoreClock.DATABASE, account.config().name())).isPresent();
        SlotScheduler.Pending pending = scheduler.submit(List.of(request(account, "e")));
        Thread.ofVirtual().start(pending::await);
      }
      // The pool of this node has twelve connections.
      assertThat(IntStream.range(0, 3).mapToObj(i -> request(free, "f" + i)).toList())
          .allSatisfy(
              request ->
                  assertThat(scheduler.assign(List.of(request)).getFirst())
                      .isInstanceOf(Assignment.Assigned.class));
      holder.rollback();
    }
    for (Account account : all) {
      assertThat(slot(scheduler.assign(List.of(request(account, "e")))).windowStart())
          .isEqualTo(Account.NOON);
    }
  }

  /** Each waits for the same lock; the pool of this node has twelve connections. */
  @Test
  void manyEndingsAndChangesOfAHeldConfigurationLeaveConnectionsToOthers() throws Exception {
    int rounds = 3;
    node.ledger().assign(held.requests("e", 5 * rounds, Account.NOON));
    List<Transition> cancelled = Collections.synchronizedList(new ArrayList<>());
    List<SlotConfig> changed = Collections.synchronizedList(new ArrayList<>());
    List<Thread> waiting = new ArrayList<>();
    try (Connection holder = lock(held)) {
      for (int round = 0; round < rounds; round++) {
        for (int i = 5 * round; i < 5 * round + 5; i++) {
          String id = held.id("e" + i);
          waiting.add(Thread.startVirtualThread(() -> cancelled.add(node.ledger().cancel(id))));
        }
        for (int i = 0; i < 2; i++) {
          waiting.add(Thread.startVirtualThread(() -> changed.add(configure(held))));
        }
        awaitParked(waiting);
        String event = "f" + round;
        assertThat(slot(scheduler.assign(List.of(request(free, event)))).windowStart())
            .isEqualTo(Account.NOON);
        assertThat(node.ledger().cancel(free.id(event))).isInstanceOf(Transition.Done.class);
        configure(free);
      }
      assertThat(cancelled).isEmpty();
      assertThat(changed).isEmpty();
      holder.rollback();
    }
    for (Thread thread : waiting) {
      thread.join();
    }
    assertThat(cancelled).hasSize(5 * rounds).allMatch(Transition.Done.class::isInstance);
    assertThat(changed).hasSize(2 * rounds);
    assertThat(node.configs().history(held.config().name())).hasSize(2 * rounds + 1);
    assertThat(node.ledger().find(held.id("e0")).orElseThrow().state())
        .isEqualTo(SlotState.CANCELLED);
  }

  /** Their slots are locked, not their configuration. */
  @Test
  void manyConfirmationsOfHeldSlotsLeaveConnectionsToOthers() throws Exception {
    node.ledger().assign(held.requests("e", 40, Account.NOON));
    List<Transition> confirmed = Collections.synchronizedList(new ArrayList<>());
    List<Thread> waiting = new ArrayList<>();
    try (Connection holder = database.otherPool().getConnection()) {
      holder.setAutoCommit(false);
      Sql.list(
          holder,
          row -> true,
          "select 1 from slot where config_id = (select config_id from slot_config where name = ?)"
              + " for update",
          held.config().name());
      for (int i = 0; i < 40; i++) {
        String id = held.id("e" + i);
        waiting.add(Thread.startVirtualThread(() -> confirmed.add(node.ledger().confirm(id))));
      }
      awaitParked(waiting);
      free.assign(node, "f", Account.NOON);
      assertThat(node.ledger().confirm(free.id("f"))).isInstanceOf(Transition.Done.class);
      assertThat(confirmed).isEmpty();
      holder.rollback();
    }
    for (Thread thread : waiting) {
      thread.join();
    }
    assertThat(confirmed).hasSize(40).allMatch(Transition.Done.class::isInstance);
  }

  private SlotConfig configure(Account account) {
    return node.configs()
        .configure(account.config().name(), SlotPolicy.of(1, Duration.ofSeconds(4)));
  }

  private static void awaitParked(List<Thread> threads) {
    for (Thread thread : threads) {
      while (thread.getState() != Thread.State.WAITING
          && thread.getState() != Thread.State.TIMED_WAITING) {
        assertThat(thread.isAlive()).isTrue();
        Await.pause();
      }
    }
  }
}
