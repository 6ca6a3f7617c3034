package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Transition;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import dev.weir.store.tck.slots.Node;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rows that a cancellation reads under the lock if a configuration had two window sizes. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class EndingCostTest {
  private static final SlotDialect DIALECT = SlotDialect.of(Dialect.POSTGRESQL);

  private static final int SLOTS = 2_000;
  private static final Instant TOMORROW = Account.NOON.plus(Duration.ofDays(1));

  /** Rows read and written in the current transaction. */
  private static final String ROWS =
      """
      select coalesce(sum(seq_tup_read + idx_tup_fetch + n_tup_ins + n_tup_upd + n_tup_del), 0)
      from pg_stat_xact_user_tables where relname in ('slot', 'slot_window', 'full_run')
      """;

  private final Database database = Database.get();
  private final InstantSource clock = InstantSource.fixed(Account.NOON);
  private final StoreClock time = databaseMicros -> Micros.ceil(clock.instant());
  private final Node node = Database.node(database.pool(), clock);
  private final Transactions transactions =
      new Transactions(Dialect.POSTGRESQL, database.pool(), () -> {});
  private final Account account = Account.open(node, SLOTS);

  private long rowsOfCancel(String event) {
    return transactions.write(
        connection -> {
          long before = rows(connection);
          assertThat(SlotEndings.cancel(DIALECT, connection, time, account.id(event)))
              .isInstanceOf(Transition.Done.class);
          return rows(connection) - before;
        });
  }

  private static long rows(Connection connection) throws SQLException {
    return Sql.first(connection, row -> row.getLong(1), ROWS).orElseThrow();
  }

  private void useDays() {
    node.configs().configure(account.config().name(), SlotPolicy.of(2 * SLOTS, Duration.ofDays(1)));
  }

  @Test
  void windowWithoutEventsOfAnotherSizeIsNotRecounted() {
    account.assign(node, "early", Account.NOON);
    useDays();
    node.ledger().assign(account.requests("e", SLOTS, TOMORROW));

    assertThat(rowsOfCancel("e7")).isLessThan(20);

    Slot first = node.ledger().find(account.id("e7")).orElseThrow();
    assertThat(account.assign(node, "f", TOMORROW).scheduledTime())
        .isEqualTo(first.scheduledTime());
  }

  /** Once the events of another window size have left a window, it costs no more than others. */
  @Test
  void windowIsRecountedWhileEventsOfAnotherSizeLieInIt() {
    account.assign(node, "early", TOMORROW);
    useDays();
    node.ledger().assign(account.requests("e", SLOTS, TOMORROW));

    assertThat(rowsOfCancel("e7")).isGreaterThan(SLOTS);
    assertThat(rowsOfCancel("early")).isGreaterThan(SLOTS / 2);
    assertThat(rowsOfCancel("e8")).isLessThan(20);
  }
}
