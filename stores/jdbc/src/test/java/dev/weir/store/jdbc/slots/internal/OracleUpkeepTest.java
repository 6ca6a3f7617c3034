package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.slots.SlotPolicy;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.tck.slots.Node;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleUpkeepTest {
  private final OracleDatabase database = OracleDatabase.get();
  private final Node node = OracleDatabase.node(database.pool(), InstantSource.fixed(Account.NOON));
  private final Node other =
      OracleDatabase.node(database.otherPool(), InstantSource.fixed(Account.NOON));

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
  void tidyRemovesWindowsOfEarlierGridsInSteps() {
    Account account = Account.open(node, 1);
    node.ledger().assign(account.requests("e", 10, Account.NOON));
    node.configs().configure(account.config().name(), SlotPolicy.of(2, Duration.ofSeconds(4)));
    String windows =
        "select count(*) from slot_window w join slot_config c on c.config_id = w.config_id"
            + " where c.name = '%s'".formatted(account.config().name());
    assertThat(Database.number(database.pool(), windows)).isEqualTo(20);

    int removed = 1;
    while (removed > 0) {
      removed = node.upkeep().tidy(4);
      assertThat(removed).isLessThanOrEqualTo(8);
    }

    assertThat(Database.number(database.pool(), windows)).isEqualTo(10);
    assertThat(account.assign(other, "f", Account.NOON).windowStart()).isEqualTo(Account.NOON);
  }

  @Test
  void viewsShowTimesThatPeopleRead() throws SQLException {
    Account account = Account.open(node, 2);
    account.assign(node, "a", Account.NOON.plusNanos(1_000));

    try (Connection connection = database.pool().getConnection()) {
      assertThat(
              Sql.list(
                  connection,
                  row -> row.getObject(1, LocalDateTime.class),
                  "select requested_time from slot_readable where event_id = ?",
                  account.id("a")))
          .containsExactly(LocalDateTime.parse("2026-06-01T12:00:00.000001"));
      assertThat(
              Sql.list(
                  connection,
                  row -> row.getObject(1, LocalDateTime.class) + " " + row.getInt(2),
                  "select window_end, taken from slot_window_readable where config_name = ?",
                  account.config().name()))
          .containsExactly("2026-06-01T12:00:04 1");
    }
  }
}
