package dev.weir.store.jdbc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.internal.LimitSweep;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.OraclePool;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.limits.internal.JdbcLimitUpkeep;
import dev.weir.store.tck.internal.CheckedDataSource;
import dev.weir.store.tck.internal.OracleStandIn;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What has expired in Oracle is removed in steps, by one node at a time, and nothing else. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleLimitUpkeepTest {
  private static final long MINUTE = 60_000_000L;
  private static final Policy HOURLY =
      Policy.of("hourly", FixedWindow.of(1_000_000, Duration.ofHours(1)));
  private static final Concurrency HOUR_LONG = Concurrency.of(10, Duration.ofHours(1));

  /** Upkeep covers the whole database, so the test has its own, which is always H2. */
  private final HikariDataSource pool =
      OraclePool.open(new PoolSettings(OracleStandIn.create(), "", "", 1, 4, Database.MAX_WAIT));

  private final DataSource database = CheckedDataSource.of(pool).dataSource();
  private final AtomicLong now = new AtomicLong(1_780_315_200_000_000L);
  private final StoreClock clock = databaseMicros -> now.get();
  private final JdbcLimitUpkeep upkeep = new JdbcLimitUpkeep(Dialect.ORACLE, database, clock);
  private final JdbcLimitStore limits;
  private final JdbcLeaseStore leases;

  OracleLimitUpkeepTest() {
    OraclePool.migrate(pool);
    limits = OracleStores.limits(database, clock, () -> {});
    leases = OracleStores.leases(database, clock, () -> {});
  }

  @AfterEach
  void close() {
    pool.close();
  }

  private long count(String table) {
    return Database.number(pool, "select count(*) from " + table);
  }

  @Test
  void removesNoUsageBeforeItIsIdleAndAllSomeTimeAfter() {
    limits.take(HOURLY, "a", 1);
    now.addAndGet(60 * MINUTE - 1);
    limits.take(HOURLY, "b", 1);

    new LimitSweep(upkeep, 1).run();
    assertThat(count("limit_usage")).isEqualTo(2);

    // The removal time is set ahead by as much as was left, and there is a minute of grace.
    now.addAndGet(61 * MINUTE + 2);
    new LimitSweep(upkeep, 1).run();
    assertThat(limits.usage(HOURLY, "a").isNone()).isTrue();
    assertThat(limits.usage(HOURLY, "b").used()).isEqualTo(1);

    now.addAndGet(60 * MINUTE);
    new LimitSweep(upkeep, 1).run();
    assertThat(count("limit_usage")).isZero();
  }

  @Test
  void usageThatIsInUseStays() {
    for (int i = 0; i < 20; i++) {
      limits.take(HOURLY, "busy", 1);
      now.addAndGet(17 * MINUTE);
      new LimitSweep(upkeep, 1).run();
      assertThat(limits.usage(HOURLY, "busy").used()).isPositive();
    }
  }

  @Test
  void removesRequestsOnceTheyAreOver() {
    AcquireRequest request =
        new AcquireRequest(
            List.of(LimitRequest.of(HOURLY, "k")), "request", Duration.ofMinutes(10));
    limits.decide(request);

    now.addAndGet(9 * MINUTE);
    new LimitSweep(upkeep, 1).run();
    assertThat(limits.decide(request).isReplayed()).isTrue();

    now.addAndGet(2 * MINUTE + 1);
    new LimitSweep(upkeep, 1).run();
    assertThat(count("limit_request")).isZero();
  }

  @Test
  void removesLeasesOfUnusedResources() {
    leases.acquire("dead", HOUR_LONG, "a", 3);
    now.addAndGet(90 * MINUTE);
    leases.acquire("alive", HOUR_LONG, "b", 3);

    now.addAndGet(31 * MINUTE + 1);
    new LimitSweep(upkeep, 1).run();

    assertThat(count("lease")).isEqualTo(1);
    assertThat(count("lease_resource")).isEqualTo(1);
    assertThat(leases.current("alive")).isEqualTo(3);
    assertThat(leases.acquire("dead", HOUR_LONG, "c", 10).current()).isEqualTo(10);
  }

  @Test
  void goesInSmallStepsAsFarAsItMay() {
    IntStream.range(0, 2_500)
        .forEach(
            i ->
                Database.execute(
                    pool,
                    "insert into limit_usage (id, at_micros, used, used_before, used_scale,"
                        + " remove_at, counted_by) values ('f6:hourly:k%d', 0, 1, 0, 1, 0, 0)"
                            .formatted(i)));

    new LimitSweep(upkeep, 2).run();
    assertThat(count("limit_usage")).isEqualTo(500);

    new LimitSweep(upkeep, 2).run();
    assertThat(count("limit_usage")).isZero();
  }

  @Test
  void leavesWhatSomebodyDecidesOn() throws SQLException {
    limits.take(HOURLY, "locked", 1);
    limits.take(HOURLY, "free", 1);
    now.addAndGet(200 * MINUTE);
    try (Connection other = pool.getConnection()) {
      other.setAutoCommit(false);
      Sql.first(
          other,
          row -> true,
          "select 1 from limit_usage where id = ? for update",
          UsageId.inOracle(HOURLY, "locked"));

      assertThat(upkeep.removeExpired(10)).isEqualTo(1);
      other.rollback();
    }
    assertThat(upkeep.removeExpired(10)).isEqualTo(1);
  }

  @Test
  void oneNodeAtATime() {
    assertThat(
            upkeep.runExclusively(
                () ->
                    assertThat(
                            new JdbcLimitUpkeep(Dialect.ORACLE, database, clock)
                                .runExclusively(() -> {}))
                        .isFalse()))
        .isTrue();
    assertThat(upkeep.runExclusively(() -> {})).isTrue();
  }
}
