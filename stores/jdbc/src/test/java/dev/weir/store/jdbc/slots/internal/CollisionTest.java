package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.SlotObserver;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.tck.slots.Node;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions that are made to collide at the same row. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CollisionTest {
  private static final String INSERT =
      """
      insert into slot (event_id, config_id, version, requested, window_start, place, scheduled,
                        assigned_at, state)
      select ?, config_id, 1, 0, 0, 0, 4000000, 0, 0 from slot_config where name = ?
      """;

  private final Database database = Database.get();
  private final AtomicInteger contended = new AtomicInteger();
  private final Node node =
      Database.node(
          database.pool(),
          StoreClock.DATABASE,
          new SlotObserver() {
            @Override
            public void contended() {
              contended.incrementAndGet();
            }
          });
  private final Account account = Account.open(node, 10);
  private final Account others = Account.open(node, 10);

  private FutureTask<List<Assignment>> assigning(List<AssignRequest> requests) {
    FutureTask<List<Assignment>> task = new FutureTask<>(() -> node.ledger().assign(requests));
    Thread.ofVirtual().start(task);
    return task;
  }

  private Connection otherTransaction() throws SQLException {
    Connection connection = database.otherPool().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private void awaitWaiting() {
    Database.awaitNumber(
        database.otherPool(),
        1,
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock'");
  }

  private void insert(Connection connection, String event) throws SQLException {
    Sql.update(connection, INSERT, account.id(event), others.config().name());
  }

  @Test
  void eventThatAnotherNodeGivesAtTheSameMomentIsTheOthers() throws Exception {
    try (Connection other = otherTransaction()) {
      insert(other, "b");
      FutureTask<List<Assignment>> meeting =
          assigning(
              List.of(account.request("a", Account.NOON), account.request("b", Account.NOON)));
      awaitWaiting();
      other.commit();

      List<Assignment> answers = meeting.get();

      assertThat(Account.slot(answers.getFirst()).configName()).isEqualTo(account.config().name());
      assertThat(Account.slot(answers.getLast()).configName()).isEqualTo(others.config().name());
      assertThat(((Assignment.Assigned) answers.getLast()).replayed()).isTrue();
      assertThat(contended).hasValueGreaterThanOrEqualTo(1);
    }
  }

  @Test
  void eventThatAnotherNodeGaveUpIsGiven() throws Exception {
    try (Connection other = otherTransaction()) {
      insert(other, "b");
      FutureTask<List<Assignment>> assigning =
          assigning(List.of(account.request("b", Account.NOON)));
      awaitWaiting();
      other.rollback();

      assertThat(Account.slot(assigning.get().getFirst()).configName())
          .isEqualTo(account.config().name());
      assertThat(contended).hasValue(0);
    }
  }

  @Test
  void deadlockIsTriedAgain() throws Exception {
    int attempt = 0;
    while (!isTriedAgain("a" + attempt, "b" + attempt)) {
      attempt++;
    }
    assertThat(contended).hasValueGreaterThanOrEqualTo(1);
  }

  /** Returns false if the other transaction is aborted, because it has come too late. */
  private boolean isTriedAgain(String first, String second) throws Exception {
    try (Connection other = otherTransaction()) {
      // The other transaction waits longer, so the ledger's is the one that is aborted.
      Sql.update(other, "set local deadlock_timeout = '30s'");
      insert(other, second);
      FutureTask<List<Assignment>> assigning =
          assigning(
              List.of(account.request(first, Account.NOON), account.request(second, Account.NOON)));
      awaitWaiting();
      try {
        insert(other, first);
      } catch (SQLException e) {
        // The ledger's has looked for a deadlock before, once, a second after it began to wait.
        assertThat(e.getSQLState()).isEqualTo("40P01");
        other.rollback();
        assertThat(assigning.get()).hasSize(2);
        return false;
      }
      other.commit();

      assertThat(assigning.get())
          .allSatisfy(
              answer ->
                  assertThat(Account.slot(answer).configName()).isEqualTo(others.config().name()));
      return true;
    }
  }

  @Test
  void endlessCollisionsAreAFailureThatLeavesNothing() {
    Database.execute(
        database.pool(),
        """
        create function collide() returns trigger language plpgsql as
        $$ begin raise exception 'always' using errcode = '40001'; end $$
        """);
    Database.execute(
        database.pool(),
        """
        create trigger collide before insert on slot for each row
        when (new.event_id = '%s') execute function collide()
        """
            .formatted(account.id("doomed")));
    try {
      assertThatThrownBy(() -> account.assign(node, "doomed", Account.NOON))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("always");
      assertThat(contended).hasValue(7);
      assertThat(node.ledger().find(account.id("doomed"))).isEmpty();
      // The view of the failed attempt is not used.
      assertThat(account.assign(node, "a", Account.NOON).place()).isZero();
    } finally {
      Database.execute(database.pool(), "drop trigger collide on slot");
      Database.execute(database.pool(), "drop function collide()");
    }
  }

  @Test
  void waitsForTheLockOfItsConfigurationOnly() throws Exception {
    try (Connection other = otherTransaction()) {
      Sql.first(
          other,
          row -> true,
          "select 1 from slot_config where name = ? for update",
          account.config().name());
      FutureTask<List<Assignment>> waiting = assigning(List.of(account.request("a", Account.NOON)));
      awaitWaiting();

      assertThat(others.assign(node, "b", Account.NOON).place()).isZero();
      assertThat(waiting.isDone()).isFalse();
      other.rollback();

      assertThat(Account.slot(waiting.get().getFirst()).place()).isZero();
    }
  }
}
