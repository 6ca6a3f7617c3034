package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.slots.AssignReply;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.slots.WaitMode;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import dev.weir.store.jdbc.slots.internal.PastCount.Portion;
import dev.weir.store.tck.slots.Node;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests for times before a policy change: their cost, and concurrent operations. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PastCountTest {
  private static final int PORTION = 500;

  /** About two of the portions of a ledger. */
  private static final int SLOTS = 8_000;

  private static final Instant PAST = Account.NOON.minusSeconds(2L * SLOTS);
  private static final Duration WINDOW = Duration.ofSeconds(4);

  /** Rows read and written in the current transaction. */
  private static final String ROWS =
      """
      select coalesce(sum(seq_tup_read + idx_tup_fetch + n_tup_ins + n_tup_upd + n_tup_del), 0)
      from pg_stat_xact_user_tables
      where relname in ('slot', 'slot_window', 'full_run', 'counted_span')
      """;

  private final Database database = Database.get();
  private final InstantSource clock = InstantSource.fixed(Account.NOON);
  private final StoreClock time = databaseMicros -> Micros.ceil(clock.instant());
  private final Node node = Database.node(database.pool(), clock);
  private final Node other = Database.node(database.otherPool(), clock);
  private final Transactions transactions =
      new Transactions(Dialect.POSTGRESQL, database.pool(), () -> {});
  private final PastCount count = new PastCount(SlotDialect.of(Dialect.POSTGRESQL), time, PORTION);
  private final Account account = Account.open(node, 2);

  /** Other tests on the same database would have to process all of these slots. */
  @AfterEach
  void removeAll() {
    for (String table : List.of("slot", "slot_window", "full_run", "counted_span")) {
      Database.execute(
          database.pool(),
          "delete from %s where config_id = (select config_id from slot_config where name = '%s')"
              .formatted(table, account.config().name()));
    }
  }

  /** Four thousand full windows, then one place less in each: no free place before noon. */
  private void fillThePastAndLowerTheLimit() {
    for (int i = 0; i < SLOTS; i += 4_000) {
      node.ledger().assign(account.requests("p" + i + "-", 4_000, PAST));
    }
    configure(1);
  }

  private void configure(int maxPerWindow) {
    node.configs().configure(account.config().name(), SlotPolicy.of(maxPerWindow, WINDOW));
  }

  private static Instant window(Instant first, int number) {
    return first.plus(WINDOW.multipliedBy(number));
  }

  private record Work(Portion portion, long rows) {}

  private Work work(Connection connection, long fromMicros) throws SQLException {
    long before = rows(connection);
    Portion portion = count.countPortion(connection, account.config().name(), fromMicros);
    return new Work(portion, rows(connection) - before);
  }

  private static long rows(Connection connection) throws SQLException {
    return Sql.first(connection, row -> row.getLong(1), ROWS).orElseThrow();
  }

  @Test
  void noTransactionDoesMoreThanAPortion() {
    fillThePastAndLowerTheLimit();

    List<Work> portions = new ArrayList<>();
    long from = Micros.ceil(PAST);
    boolean more = true;
    while (more) {
      long start = from;
      Work work = transactions.write(connection -> work(connection, start));
      portions.add(work);
      if (work.portion() instanceof Portion.AllFull full) {
        from = full.untilMicros();
      } else {
        more = false;
      }
      // Other requests get their turn, at the earliest window from now on.
      Slot now = account.assign(other, "now" + portions.size(), Account.NOON);
      assertThat(now.windowStart()).isEqualTo(window(Account.NOON, portions.size() - 1));
    }

    // One slot too many to stay below the bound goes to the next portion, with its window.
    assertThat(portions).hasSizeBetween(SLOTS / PORTION, SLOTS / PORTION + 2);
    assertThat(portions).allSatisfy(work -> assertThat(work.rows()).isLessThan(5 * PORTION));
    assertThat(account.assign(node, "f", PAST).windowStart())
        .isEqualTo(window(Account.NOON, portions.size()));
  }

  @Test
  void nothingIsCountedTwice() {
    fillThePastAndLowerTheLimit();
    Slot first = account.assign(node, "a", PAST);
    assertThat(first.windowStart()).isEqualTo(Account.NOON);
    // A write of another node: this one has to read again.
    account.assign(other, "b", Account.NOON);

    Work work = transactions.write(connection -> work(connection, Micros.ceil(PAST)));
    assertThat(work.portion()).isEqualTo(new Portion.Enough());
    assertThat(work.rows()).isLessThan(10);
    for (Node any : List.of(node, Database.node(database.pool(), clock))) {
      List<AssignRequest> late = List.of(account.request("c" + any.hashCode(), PAST));
      assertThat(any.ledger().attempt(late, WaitMode.FOR_LOCKS).getFirst())
          .isInstanceOf(Assignment.Assigned.class);
    }
    assertThat(stored("counted_span")).isOne();
  }

  /** Returns how many rows of the current grid a table has. */
  private long stored(String table) {
    return Database.number(
        database.pool(),
        "select count(*) from %s join slot_config c using (config_id, grid) where c.name = '%s'"
            .formatted(table, account.config().name()));
  }

  @Test
  void portionThatFailsLeavesNothing() throws Exception {
    fillThePastAndLowerTheLimit();
    try (Connection connection = database.pool().getConnection()) {
      connection.setAutoCommit(false);
      assertThat(work(connection, Micros.ceil(PAST)).portion()).isInstanceOf(Portion.AllFull.class);
      connection.rollback();
    }

    assertThat(stored("slot_window")).isZero();
    assertThat(account.assign(node, "f", PAST).windowStart()).isEqualTo(Account.NOON);
  }

  /** In the windows that are counted and in those that are not. */
  @Test
  void cancelledPlacesOfThePastAreFound() {
    fillThePastAndLowerTheLimit();
    Work first = transactions.write(connection -> work(connection, Micros.ceil(PAST)));
    assertThat(first.portion()).isInstanceOf(Portion.AllFull.class);

    for (int slot : List.of(0, 1, 3_000, 3_001)) {
      other.ledger().cancel(account.id("p0-" + slot));
    }

    assertThat(account.assign(node, "f", PAST).windowStart()).isEqualTo(PAST);
    assertThat(account.assign(other, "g", PAST).windowStart()).isEqualTo(window(PAST, 1_500));
    assertThat(account.assign(node, "h", PAST).windowStart()).isEqualTo(Account.NOON);
  }

  @Test
  void onlyTheWindowsThatAreNeededAreCounted() {
    fillThePastAndLowerTheLimit();
    configure(3);

    assertThat(account.assign(node, "f", window(PAST, 700)).windowStart())
        .isEqualTo(window(PAST, 700));
    assertThat(account.assign(node, "g", window(PAST, 100)).windowStart())
        .isEqualTo(window(PAST, 100));
    // A portion of windows of two slots, and those before it.
    assertThat(stored("slot_window")).isBetween(2L, PastCount.SLOTS_A_PORTION / 2 + 700L);
  }

  @Test
  void requestForNowDoesNotWaitForThePast() {
    fillThePastAndLowerTheLimit();
    List<AssignRequest> both =
        List.of(account.request("past", PAST), account.request("now", Account.NOON));

    List<? extends AssignReply> replies = node.ledger().attempt(both, WaitMode.NONE);

    assertThat(replies.getFirst()).isEqualTo(AssignReply.Deferred.UNCOUNTED);
    assertThat(replies.getLast())
        .isInstanceOfSatisfying(
            Assignment.Assigned.class,
            given -> assertThat(given.slot().windowStart()).isEqualTo(Account.NOON));
    assertThat(node.ledger().find(account.id("past"))).isEmpty();
  }

  @Test
  void schedulerAnswersRequestsForThePastInOrder() {
    fillThePastAndLowerTheLimit();
    List<SlotScheduler.Pending> pending = new ArrayList<>();
    // One that stays open would hold the lock of the upkeep now and then, while other tests run.
    try (SlotScheduler scheduler =
        SlotScheduler.on(SlotStore.of(node.ledger(), node.configs(), node.upkeep(), () -> {}))) {
      for (int i = 0; i < 40; i++) {
        SlotRequest request = account.request("d" + i, PAST.plusMillis(i)).request();
        pending.add(scheduler.submit(List.of(request)));
      }

      for (int i = 39; i >= 0; i--) {
        assertThat(Account.slot(pending.get(i).await().getFirst()).windowStart())
            .isEqualTo(window(Account.NOON, i));
      }
    }
  }

  /** An event that has its slot needs no windows. */
  @Test
  void repeatedEventIsAnsweredWithoutCounting() {
    fillThePastAndLowerTheLimit();
    Slot slot = account.assign(node, "p0-0", PAST);

    assertThat(slot.windowStart()).isEqualTo(PAST);
    assertThat(stored("counted_span")).isZero();
  }
}
