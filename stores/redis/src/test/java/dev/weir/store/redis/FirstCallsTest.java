package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.Policy;
import dev.weir.limits.StoreHistory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The first calls of a new Redis: what precedes them, and the keys that they leave. */
@RequiresProgram("redis-server")
final class FirstCallsTest {
  private static final Concurrency THREE = Concurrency.of(3, Duration.ofMinutes(10));
  private static final Policy TEN = Policy.of("ten", FixedWindow.of(10, Duration.ofDays(1)));

  private final RedisServer server = RedisServer.start(RedisProgram.installed());

  @AfterEach
  void stop() {
    server.close();
  }

  private Redis client(StoreHistory history, LongSupplier nowMicros) {
    return new Redis(
        RedisSettings.of(server.uri()).withCommandTimeout(Servers.MAX_WAIT), history, nowMicros);
  }

  /** They ask it one after the other: each would wait for the failure of all before it. */
  @Test
  void callersShareTheFailureOfTheHistory() {
    AtomicInteger asked = new AtomicInteger();
    StoreHistory broken =
        new StoreHistory() {
          @Override
          public void prepare(String store, Step step) {
            asked.incrementAndGet();
            throw new StoreException(StoreException.Outcome.UNKNOWN, "no history");
          }

          @Override
          public void saw(String store, Mark mark) {}
        };
    AtomicLong nowMicros = new AtomicLong();
    try (Redis client = client(broken, nowMicros::get)) {
      RedisLimitStore store = new RedisLimitStore(client);
      for (int second = 1; second < 4; second++) {
        for (int i = 0; i < 10; i++) {
          assertThatThrownBy(() -> store.take(TEN, "k", 1))
              .isInstanceOf(StoreException.class)
              .hasMessage("no history")
              // The request itself has not been executed.
              .extracting(e -> ((StoreException) e).outcome())
              .isEqualTo(StoreException.Outcome.NONE);
        }
        assertThat(asked).hasValue(second);
        nowMicros.addAndGet(1_000_000);
      }
    }
  }

  /** They must not end before the lease, whatever Redis takes for the present in one step. */
  @Test
  void keysOfLeasesEndByTheTimeOfTheLease() {
    try (Redis client = client(StoreHistory.NONE, () -> 0)) {
      RedisLeaseStore leases = new RedisLeaseStore(client);
      for (int i = 0; i < 20; i++) {
        Lease lease = ((LeaseDecision.Held) leases.acquire("r" + i, THREE, "a", 2)).lease();
        long endMillis = Math.ceilDiv(lease.expiresAtMicros(), 1_000) + 1;
        for (String key : List.of("weir:l:{r" + i + "}", "weir:p:{r" + i + "}")) {
          assertThat(server.command("PEXPIRETIME " + key)).startsWith(":" + endMillis);
        }
      }
    }
  }
}
