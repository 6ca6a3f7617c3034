package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotState;
import dev.weir.slots.Transition;
import dev.weir.slots.WindowCount;
import dev.weir.slots.WindowQuery;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.tck.slots.Node;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Endings that are made to collide with a new assignment of the same event elsewhere. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RacingEndingsTest {
  private final Database database = Database.get();
  private final Node node = Database.node(database.pool(), InstantSource.fixed(Account.NOON));
  private final Node other = Database.node(database.otherPool(), InstantSource.fixed(Account.NOON));
  private final Account first = Account.open(node, 1);
  private final Account second = Account.open(node, 1);

  /** The event of the first configuration requests a slot of the second one. */
  private AssignRequest moved(String event) {
    return new AssignRequest(
        new SlotRequest(first.id(event), second.config().name(), Account.NOON), second.config());
  }

  private List<WindowCount> windows(Account account) {
    return node.ledger().windows(WindowQuery.of(account.config()).limit(1_000));
  }

  private static <T> FutureTask<T> started(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread.ofVirtual().start(task);
    return task;
  }

  private Connection transaction() throws SQLException {
    Connection connection = database.otherPool().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private void awaitWaiting(int transactions) {
    Database.awaitNumber(
        database.otherPool(),
        transactions,
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock'");
  }

  /** The event had a slot of the first configuration, and another event has its place now. */
  private void leaveFirst() {
    first.assign(node, "a", Account.NOON);
    node.ledger().cancel(first.id("a"));
    first.assign(node, "b", Account.NOON);
  }

  @Test
  void cancelFreesNothingInTheConfigurationThatTheEventHasLeft() throws Exception {
    leaveFirst();
    FutureTask<Transition> late;
    try (Connection holder = transaction()) {
      Sql.first(
          holder,
          row -> true,
          "select 1 from slot_config where name = ? for update",
          first.config().name());
      late = started(() -> node.ledger().cancel(first.id("a")));
      awaitWaiting(1);
      Account.slot(other.ledger().assign(List.of(moved("a"))).getFirst());
      holder.rollback();
    }

    assertThat(late.get()).isInstanceOf(Transition.Done.class);
    assertThat(windows(first)).containsExactly(new WindowCount(Account.NOON, 1));
    assertThat(windows(second)).isEmpty();
    assertThat(first.assign(node, "c", Account.NOON).windowStart())
        .isEqualTo(Account.NOON.plusSeconds(4));
  }

  @Test
  void cancelKnowsTheEventWhileItGetsAnotherSlot() throws Exception {
    Slot moved = endWhileItMoves(() -> node.ledger().cancel(first.id("a")), SlotState.CANCELLED);

    assertThat(moved.configName()).isEqualTo(second.config().name());
    assertThat(windows(first)).containsExactly(new WindowCount(Account.NOON, 1));
    assertThat(windows(second)).containsExactly(new WindowCount(Account.NOON.plusSeconds(4), 1));
  }

  @Test
  void confirmKnowsTheEventWhileItGetsAnotherSlot() throws Exception {
    Slot moved = endWhileItMoves(() -> node.ledger().confirm(first.id("a")), SlotState.CONFIRMED);

    assertThat(moved.configName()).isEqualTo(second.config().name());
    assertThat(windows(second)).hasSize(2);
  }

  /** The new assignment has removed the old slot and is still running when the event ends. */
  private Slot endWhileItMoves(Callable<Transition> ending, SlotState state) throws Exception {
    leaveFirst();
    FutureTask<Transition> ended;
    try (Connection holder = transaction()) {
      // Another event of the same batch keeps the assignment waiting after its first statement.
      Sql.update(
          holder,
          """
          insert into slot (event_id, config_id, version, requested, window_start, place, scheduled,
                            assigned_at, state)
          select ?, config_id, 1, 0, 0, 0, 0, 0, 0 from slot_config where name = ?
          """,
          first.id("z"),
          second.config().name());
      FutureTask<?> moving = started(() -> other.ledger().assign(List.of(moved("a"), moved("z"))));
      awaitWaiting(1);
      ended = started(ending);
      awaitWaiting(2);
      holder.rollback();
      moving.get();
    }
    assertThat(ended.get())
        .isInstanceOfSatisfying(
            Transition.Done.class, done -> assertThat(done.slot().state()).isEqualTo(state));
    return ((Transition.Done) ended.get()).slot();
  }
}
