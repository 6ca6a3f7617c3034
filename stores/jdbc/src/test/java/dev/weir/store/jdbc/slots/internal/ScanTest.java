package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.core.slots.SlotPolicy;
import dev.weir.engine.slots.ForecastResult;
import dev.weir.engine.slots.SlotQuery;
import dev.weir.engine.slots.WindowQuery;
import dev.weir.store.jdbc.Database;
import dev.weir.store.tck.slots.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No statement ever scans a whole table, even if its plan was made while it was empty. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ScanTest {
  @Test
  void everyStatementHasItsIndex() {
    String url = Database.get().createMigrated();
    try (HikariDataSource pool = Database.openPool(url)) {
      Node node = Database.node(pool, InstantSource.fixed(Account.NOON));
      for (int round = 0; round < 8; round++) {
        useEverything(node, Account.open(node, 2));
      }
    }
    try (HikariDataSource pool = Database.openPool(url)) {
      String tables = "('slot', 'slot_window', 'full_run')";
      String counts = " from pg_stat_user_tables where relname in " + tables;
      // Connections report their statistics when they close.
      Database.awaitNumber(
          pool,
          0,
          "select count(*) from pg_stat_activity"
              + " where datname = current_database() and pid <> pg_backend_pid()");
      assertThat(Database.number(pool, "select sum(coalesce(idx_scan, 0))" + counts)).isPositive();
      assertThat(Database.number(pool, "select sum(seq_scan)" + counts)).isZero();
    }
  }

  /** Executes every kind of operation. */
  static void useEverything(Node node, Account account) {
    String name = account.config().name();
    node.ledger().assign(account.requests("past", 20, Account.NOON.minusSeconds(600)));
    node.ledger().assign(account.requests("ahead", 20, Account.NOON));
    node.ledger().cancel(account.id("ahead3"));
    node.ledger().confirm(account.id("ahead4"));
    node.ledger().assign(account.requests("ahead", 5, Account.NOON));
    node.configs().configure(name, SlotPolicy.of(3, Duration.ofSeconds(2)));
    account.assign(node, "again", Account.NOON.minusSeconds(600));
    node.ledger().cancel(account.id("ahead5"));
    for (SlotQuery.Filter filter : SlotQuery.Filter.values()) {
      SlotQuery query =
          new SlotQuery(name, Instant.MIN, Instant.MAX, filter, SlotQuery.Cursor.START, 10);
      assertThat(node.ledger().list(query)).hasSizeLessThanOrEqualTo(10);
    }
    assertThat(
            node.ledger().windows(new WindowQuery(account.config(), Instant.MIN, Instant.MAX, 10)))
        .hasSize(10);
    assertThat(node.ledger().forecast(account.config(), Account.NOON, 100))
        .isInstanceOf(ForecastResult.Completion.class);
    assertThat(node.upkeep().countLeaked(Account.NOON.plusSeconds(1), 10)).isPositive();
    assertThat(node.upkeep().reclaim(Account.NOON.plusSeconds(1), 3)).isPositive();
    assertThat(node.upkeep().removePast(Account.NOON.plusSeconds(1), 5)).isPositive();
    assertThat(node.upkeep().tidy(5)).isPositive();
  }
}
