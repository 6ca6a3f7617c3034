package dev.weir.notifications.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.store.jdbc.CountingProxy;
import dev.weir.store.jdbc.Database;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts how often a batch of messages waits for the server. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SendRoundTripsTest {
  private final Database database = Database.get();
  private final CountingProxy proxy = new CountingProxy(database.port());
  private final HikariDataSource pool = database.openThrough(proxy.port(), Database.MAX_WAIT);
  private final JdbcSendLedger ledger = new JdbcSendLedger(pool);
  private final long user = Letters.newUser();

  SendRoundTripsTest() throws Exception {}

  @AfterEach
  void close() throws Exception {
    pool.close();
    proxy.close();
  }

  private void limit(long rateLimit) {
    new JdbcUserLimits(database.pool())
        .configure(UserLimit.of(user, rateLimit, Duration.ofHours(1)));
  }

  private int turns(List<SendRequest> requests) {
    int before = proxy.turns();
    assertThat(ledger.place(requests)).hasSize(requests.size());
    return proxy.turns() - before;
  }

  @Test
  void acceptedBatchTakesTwoWhateverItsSize() {
    limit(100_000);
    turns(Letters.to(user, 1));
    // Often enough for the driver to prepare its statements on the server.
    for (int i = 0; i < 12; i++) {
      assertThat(turns(Letters.to(user, 1 + 20 * i))).as("batch %d", i).isEqualTo(2);
    }
  }

  @Test
  void keysTakeOneMore() {
    limit(100_000);
    turns(List.of(Letters.to(user, "warm")));
    for (int i = 0; i < 12; i++) {
      assertThat(turns(List.of(Letters.to(user), Letters.to(user, "key " + i)))).isEqualTo(3);
    }
  }

  /** The users are locked, repeated ids are looked up, and the transaction is rolled back. */
  @Test
  void refusedBatchTakesThree() {
    limit(1);
    turns(Letters.to(user, 1));
    for (int i = 0; i < 12; i++) {
      assertThat(turns(Letters.to(user, 50))).isEqualTo(3);
    }
  }
}
