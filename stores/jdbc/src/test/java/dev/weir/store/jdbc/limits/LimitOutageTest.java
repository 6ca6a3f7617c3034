package dev.weir.store.jdbc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.Policy;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.PostgresqlServer;
import dev.weir.store.tck.internal.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The database stops and comes back while permits are taken and leases are held. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LimitOutageTest {
  private static final int CALLERS = 16;
  private static final Concurrency LONG = Concurrency.of(5, Duration.ofDays(1));

  private static HikariDataSource open(PostgresqlServer postgresql) {
    return PostgresqlPool.open(
        new PoolSettings(postgresql.url(), "postgres", "", 1, 4, Database.MAX_WAIT));
  }

  @Test
  void countsEveryGrantThatWasToldAndComesBackByItself(@TempDir Path folder) throws Exception {
    Policy policy = Policy.of("p", FixedWindow.of(1_000_000_000, Duration.ofDays(300)));
    PostgresqlServer first = PostgresqlServer.start(folder.resolve("data"));
    AtomicLong granted = new AtomicLong();
    AtomicLong failed = new AtomicLong();
    AtomicBoolean over = new AtomicBoolean();
    try (HikariDataSource pool = open(first)) {
      PostgresqlPool.migrate(pool);
      JdbcLimitStore store = new JdbcLimitStore(pool);
      ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
      for (int i = 0; i < CALLERS; i++) {
        callers.execute(
            () -> {
              while (!over.get()) {
                try {
                  assertThat(store.take(policy, "k", 1)).isTrue();
                  granted.incrementAndGet();
                } catch (StoreException gone) {
                  failed.incrementAndGet();
                }
              }
            });
      }
      Await.until(() -> granted.get() >= 200);
      first.close();
      Await.until(() -> failed.get() > 0);
      try (PostgresqlServer second = first.startAgain()) {
        assertThat(second.port()).isEqualTo(first.port());
        long before = granted.get();
        Await.until(() -> granted.get() >= before + 200);
        over.set(true);
        callers.close();

        // A grant whose response was lost is counted although its caller does not know of it; the
        // opposite never happens.
        assertThat(store.usage(policy, "k").used())
            .isBetween(granted.get(), granted.get() + failed.get());
      }
    }
  }

  @Test
  void leasesOutliveTheNodeAndTheDatabase(@TempDir Path folder) throws Exception {
    PostgresqlServer first = PostgresqlServer.start(folder.resolve("data"));
    LeaseDecision before;
    try (HikariDataSource pool = open(first)) {
      PostgresqlPool.migrate(pool);
      before = new JdbcLeaseStore(pool).acquire("r", LONG, "mine", 3);
    }
    first.close();

    try (PostgresqlServer second = first.startAgain();
        HikariDataSource pool = open(second)) {
      JdbcLeaseStore store = new JdbcLeaseStore(pool);
      assertThat(store.current("r")).isEqualTo(3);
      assertThat(store.acquire("r", LONG, "other", 3)).isInstanceOf(LeaseDecision.Full.class);
      assertThat(store.acquire("r", LONG, "mine", 3)).isEqualTo(before);
    }
  }
}
