package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.SurrealServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A SurrealDB that is killed while callers take tokens: after its restart, none is granted twice.
 */
@RequiresSurrealDb
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class KilledServerTest {
  private static final int CALLERS = 16;
  private static final int TOKENS = 1_000;
  private static final Policy POLICY =
      Policy.of("many", TokenBucket.of(TOKENS, Duration.ofDays(366)));

  /** What a caller was told. */
  private record Told(int granted, int unknown) {}

  @Test
  void nothingIsGrantedTwice() throws Exception {
    try (SurrealServer server = SurrealServer.start(SurrealServer.Storage.ROCKSDB);
        SurrealDb database = SurrealDb.open(Clients.settings(server.port()))) {
      SurrealDbLimitStore store = new SurrealDbLimitStore(database);
      store.usage(POLICY, "warm");
      CountDownLatch some = new CountDownLatch(200);
      List<FutureTask<Told>> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        FutureTask<Told> caller = new FutureTask<>(() -> take(store, some));
        Thread.ofVirtual().start(caller);
        callers.add(caller);
      }
      some.await();
      server.kill();
      server.restart();
      int known = 0;
      int unknown = 0;
      for (FutureTask<Told> caller : callers) {
        known += caller.get().granted();
        unknown += caller.get().unknown();
      }
      long remaining =
          Eventually.answer(
                  () -> store.peek(AcquireRequest.of(LimitRequest.of(POLICY, "k"))).decision())
              .remaining();
      assertThat(remaining).as("all callers stop when nothing is left").isZero();
      assertThat(known).isLessThanOrEqualTo(TOKENS);
      assertThat(known + unknown).isGreaterThanOrEqualTo(TOKENS);
    }
  }

  /** Takes tokens until there are none. */
  private static Told take(SurrealDbLimitStore store, CountDownLatch some) {
    int unknown = 0;
    int mine = 0;
    while (true) {
      try {
        if (!store.take(POLICY, "k", 1)) {
          return new Told(mine, unknown);
        }
        mine++;
        some.countDown();
      } catch (StoreException e) {
        unknown += e.outcome() == StoreException.Outcome.UNKNOWN ? 1 : 0;
        Await.pause();
      }
    }
  }
}
