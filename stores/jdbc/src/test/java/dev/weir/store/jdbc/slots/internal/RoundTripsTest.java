package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.slots.SlotPolicy;
import dev.weir.store.jdbc.CountingProxy;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.limits.JdbcLimitStore;
import dev.weir.store.tck.slots.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts how often the driver waits for the server. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RoundTripsTest {
  private final Database database = Database.get();
  private final InstantSource clock = InstantSource.fixed(Account.NOON);
  private final CountingProxy proxy = new CountingProxy(database.port());
  private final HikariDataSource pool = database.openThrough(proxy.port(), Database.MAX_WAIT);
  private final Node node = Database.node(pool, clock);
  private final Account account = Account.open(node, 2);

  RoundTripsTest() throws Exception {}

  @AfterEach
  void close() throws Exception {
    pool.close();
    proxy.close();
  }

  private <T> int turns(Supplier<T> work) {
    int before = proxy.turns();
    assertThat(work.get()).isNotNull();
    return proxy.turns() - before;
  }

  @Test
  void warmBatchTakesOne() {
    // Often enough for the driver to prepare its statements on the server.
    for (int i = 0; i < 12; i++) {
      int batch = i;
      int turns =
          turns(() -> node.ledger().assign(account.requests("e" + batch + "-", 5, Account.NOON)));
      if (i > 0) {
        assertThat(turns).as("batch %d", i).isOne();
      }
    }
  }

  @Test
  void limitTakesOneWhetherItGrantsOrRefuses() {
    JdbcLimitStore limits = new JdbcLimitStore(pool);
    Policy policy =
        Policy.of(UUID.randomUUID().toString(), TokenBucket.of(6, Duration.ofDays(300)));
    for (int i = 0; i < 12; i++) {
      assertThat(turns(() -> limits.decide(policy, "k", 1))).as("request %d", i).isOne();
    }
  }

  @Test
  void coldBatchTakesOneMoreWithAnyBacklog() {
    node.ledger().assign(account.requests("e", 4_000, Account.NOON));
    Node cold = Database.node(pool, clock);

    assertThat(turns(() -> account.assign(cold, "f", Account.NOON))).isEqualTo(3);
  }

  /** Windows before a policy change are counted from slots, in portions, and then stored. */
  @Test
  void deepPastBeforeAChangeIsCountedOnce() {
    Instant past = Account.NOON.minusSeconds(20_000);
    node.ledger().assign(account.requests("e", 4_000, past));
    node.configs().configure(account.config().name(), SlotPolicy.of(1, Duration.ofSeconds(4)));

    assertThat(turns(() -> account.assign(node, "f", past))).isBetween(10, 30);
    assertThat(turns(() -> account.assign(node, "g", past))).isLessThanOrEqualTo(2);
    account.assign(Database.node(pool, clock), "h", past);
    assertThat(turns(() -> account.assign(node, "i", past))).isLessThanOrEqualTo(8);
  }

  /** Batches look up repeated events only after the first one has occurred. */
  @Test
  void replayTakesTwoOnceReplaysAreExpected() {
    account.assign(node, "a", Account.NOON);
    account.assign(node, "a", Account.NOON);

    assertThat(turns(() -> account.assign(node, "a", Account.NOON))).isEqualTo(2);
  }

  @Test
  void largeBatchTakesNoMore() {
    account.assign(node, "a", Account.NOON);

    assertThat(turns(() -> node.ledger().assign(account.requests("e", 4_096, Account.NOON))))
        .isOne();
  }
}
