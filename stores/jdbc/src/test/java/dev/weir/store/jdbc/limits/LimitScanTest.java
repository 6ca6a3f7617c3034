package dev.weir.store.jdbc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.Queue;
import dev.weir.store.jdbc.GrownTables;
import dev.weir.store.jdbc.GrownTables.Statistics;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.limits.internal.JdbcLimitUpkeep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No statement reads usages and requests of other keys, or leases of other resources. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LimitScanTest {
  private static final int ROWS = 2_000;
  private static final int MAX_READ = 200;
  private static final Policy HOURLY = Policy.of("hourly", FixedWindow.of(5, Duration.ofHours(1)));
  private static final Concurrency LIMIT = Concurrency.of(10, Duration.ofHours(1));

  /** Half of it has expired. */
  private static final String GROWTH =
      """
      insert into limit_usage (at_micros, used, used_before, scale, remove_at, id)
      select 0, 1, 0, 3600000000, case when i %% 2 = 0 then i else 9000000000000000 end,
             'f5:other' || i
      from generate_series(1, %1$d) i;
      insert into limit_request (expires_at, result, id)
      select case when i %% 2 = 0 then i else 9000000000000000 end, '{}', 'other' || i
      from generate_series(1, %1$d) i;
      insert into lease_resource (places, remove_at, resource)
      select 1, case when i %% 2 = 0 then i else 9000000000000000 end, 'other' || i
      from generate_series(1, %1$d) i;
      insert into lease (expires_at, places, resource, id)
      select 9000000000000000, 1, 'other' || i, 'lease' from generate_series(1, %1$d) i
      """
          .formatted(ROWS);

  @ParameterizedTest
  @EnumSource
  void statementsReadOnlyTheirRowsWhenTheTablesHaveGrown(Statistics taken) {
    assertThat(GrownTables.excesses(taken, LimitScanTest::useEverything, GROWTH, MAX_READ))
        .isEmpty();
  }

  /** Executes every statement about limits and leases. */
  static void useEverything(DataSource database) {
    String key = UUID.randomUUID().toString();
    JdbcLimitStore limits = new JdbcLimitStore(database);
    AcquireRequest request =
        new AcquireRequest(
            List.of(LimitRequest.of(HOURLY, key), LimitRequest.of(HOURLY, key + "other")),
            key,
            Duration.ofMinutes(10));
    assertThat(limits.decide(request).isReplayed()).isFalse();
    assertThat(limits.decide(request).isReplayed()).isTrue();
    for (int i = 0; i < 6; i++) {
      limits.take(HOURLY, key, 1);
    }
    assertThat(limits.usage(HOURLY, key).used()).isPositive();
    assertThat(limits.recall(request)).isPresent();
    limits.peek(request);
    limits.settle(HOURLY, key);
    limits.refund(request, Instant.now());
    limits.forget(HOURLY, key);
    useLeases(new JdbcLeaseStore(database), key);
    assertThat(
            new JdbcLimitUpkeep(Dialect.of(database), database, StoreClock.DATABASE)
                .removeExpired(10))
        .isNotNegative();
  }

  private static void useLeases(JdbcLeaseStore leases, String resource) {
    leases.acquire(resource, LIMIT, "lease", 1);
    leases.renew(resource, LIMIT, "lease");
    leases.releaseAfter(resource, "lease", Duration.ofMinutes(1));
    assertThat(leases.current(resource)).isOne();
    leases.release(resource, "lease");
    leases.join(resource, Queue.of(5, Duration.ofSeconds(10)), "ticket");
    leases.forget(resource);
  }
}
