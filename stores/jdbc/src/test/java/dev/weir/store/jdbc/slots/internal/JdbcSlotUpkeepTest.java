package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.slots.SlotPolicy;
import dev.weir.store.jdbc.Database;
import dev.weir.store.tck.slots.Node;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JdbcSlotUpkeepTest {
  private final Database database = Database.get();
  private final Node node = Database.node(database.pool(), InstantSource.fixed(Account.NOON));
  private final Node other = Database.node(database.otherPool(), InstantSource.fixed(Account.NOON));

  @Test
  void oneNodeAtATimeWorks() {
    AtomicBoolean otherRan = new AtomicBoolean();

    boolean ran =
        node.upkeep()
            .runExclusively(
                () ->
                    assertThat(other.upkeep().runExclusively(() -> otherRan.set(true))).isFalse());

    assertThat(ran).isTrue();
    assertThat(otherRan).isFalse();
    assertThat(other.upkeep().runExclusively(() -> otherRan.set(true))).isTrue();
    assertThat(otherRan).isTrue();
  }

  @Test
  void failedWorkLetsTheNextNodeIn() {
    assertThatThrownBy(
            () ->
                node.upkeep()
                    .runExclusively(
                        () -> {
                          throw new IllegalStateException("broken");
                        }))
        .hasMessage("broken");

    assertThat(other.upkeep().runExclusively(() -> {})).isTrue();
  }

  @Test
  void nodeThatLostItsConnectionLetsTheNextNodeIn() {
    assertThatThrownBy(
            () ->
                node.upkeep()
                    .runExclusively(
                        () ->
                            Database.execute(
                                database.otherPool(),
                                """
                                select pg_terminate_backend(pid, 120000) from pg_locks
                                where locktype = 'advisory'
                                """)))
        .isInstanceOf(StoreException.class);

    assertThat(other.upkeep().runExclusively(() -> {})).isTrue();
  }

  @Test
  void tidyRemovesWindowsOfEarlierGridsInSteps() {
    Account account = Account.open(node, 1);
    node.ledger().assign(account.requests("e", 10, Account.NOON));
    node.configs().configure(account.config().name(), SlotPolicy.of(2, Duration.ofSeconds(4)));
    String windows =
        "select count(*) from slot_window join slot_config c using (config_id) where c.name = '%s'"
            .formatted(account.config().name());
    assertThat(Database.number(database.pool(), windows)).isEqualTo(20);

    int removed = 1;
    int steps = 0;
    while (removed > 0) {
      removed = node.upkeep().tidy(4);
      assertThat(removed).isLessThanOrEqualTo(8);
      steps++;
    }

    assertThat(steps).isGreaterThanOrEqualTo(3);
    assertThat(Database.number(database.pool(), windows)).isEqualTo(10);
    assertThat(account.assign(other, "f", Account.NOON).windowStart()).isEqualTo(Account.NOON);
  }
}
