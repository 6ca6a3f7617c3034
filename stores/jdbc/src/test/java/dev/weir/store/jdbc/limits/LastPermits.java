package dev.weir.store.jdbc.limits;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.jdbc.Database;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that competes with others: for each line that it reads, many callers request the only
 * permit and the only place of that name, and it prints how many of each it got.
 */
public final class LastPermits {
  private static final int CALLERS = 16;
  private static final Policy ONE = Policy.of("one", TokenBucket.of(1, Duration.ofDays(300)));
  private static final Concurrency ALONE = Concurrency.of(1, Duration.ofDays(1));

  private LastPermits() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    try (HikariDataSource pool = Database.openPool(args[0]);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
        BufferedReader names =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      JdbcLimitStore limits = new JdbcLimitStore(pool);
      JdbcLeaseStore leases = new JdbcLeaseStore(pool);
      String me = Long.toString(ProcessHandle.current().pid());
      for (String name = names.readLine(); name != null; name = names.readLine()) {
        String key = name;
        AtomicInteger permits = new AtomicInteger();
        AtomicInteger places = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(CALLERS);
        for (int i = 0; i < CALLERS; i++) {
          String leaseId = me + "-" + i;
          callers.execute(
              () -> {
                try {
                  if (limits.take(ONE, key, 1)) {
                    permits.incrementAndGet();
                  }
                  if (leases.acquire(key, ALONE, leaseId, 1) instanceof LeaseDecision.Held) {
                    places.incrementAndGet();
                  }
                } finally {
                  done.countDown();
                }
              });
        }
        done.await();
        System.out.println(permits + " " + places);
      }
    }
  }
}
