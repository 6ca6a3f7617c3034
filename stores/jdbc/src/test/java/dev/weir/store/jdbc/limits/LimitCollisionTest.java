package dev.weir.store.jdbc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that are made to request the same permit at the same time. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LimitCollisionTest {
  private final Database database = Database.get();
  private final AtomicInteger contended = new AtomicInteger();
  private final JdbcLimitStore store =
      new JdbcLimitStore(
          database.pool(),
          StoreClock.DATABASE,
          JdbcLimitStore.Settings.DEFAULT,
          contended::incrementAndGet);
  private final Policy policy =
      Policy.of(UUID.randomUUID().toString(), TokenBucket.of(2, Duration.ofDays(300)));

  /** Returns true if a request is granted that waits for another of the same cost. */
  private boolean takeBesideAnother(long cost) throws Exception {
    try (Connection other = database.otherPool().getConnection()) {
      other.setAutoCommit(false);
      take(other, cost);
      FutureTask<Boolean> mine = new FutureTask<>(() -> store.take(policy, "k", cost));
      Thread.ofVirtual().start(mine);
      Database.awaitNumber(
          database.otherPool(),
          1,
          "select count(*) from pg_stat_activity where wait_event_type = 'Lock'");
      other.commit();
      return mine.get();
    }
  }

  private void take(Connection connection, long cost) throws SQLException {
    AcquireRequest request = AcquireRequest.of(new LimitRequest(policy, "k", cost));
    assertThat(LimitCall.of(List.of(new LimitStep.Decide(request))).run(connection, null, false))
        .matches(LimitCall.CallResult::wrote);
  }

  @Test
  void newKeyThatAnotherNodeCountedFirstIsDecidedAgain() throws Exception {
    assertThat(takeBesideAnother(2)).isFalse();
    assertThat(contended).hasValue(1);
    assertThat(store.usage(policy, "k").isNone()).isFalse();
  }

  @Test
  void knownKeyIsWaitedForAndSeenAsTheOtherLeftIt() throws Exception {
    assertThat(store.take(policy, "k", 1)).isTrue();

    assertThat(takeBesideAnother(1)).isFalse();
    assertThat(contended).hasValue(0);
  }
}
