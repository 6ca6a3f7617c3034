package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import dev.weir.store.tck.SettableClock;
import dev.weir.store.tck.internal.Crowd;
import dev.weir.store.tck.internal.SurrealServer;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is expired is removed, and nothing else. */
@RequiresSurrealDb
final class UpkeepTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Policy POLICY = Policy.of("p", TokenBucket.of(10, MINUTE));
  private static final Concurrency TWO = Concurrency.of(2, MINUTE);

  private final SettableClock clock = new SettableClock(Instant.parse("2026-03-01T12:00:00Z"));
  private SurrealServer server;
  private SurrealDb database;
  private SurrealDbLimitStore limits;
  private SurrealDbLeaseStore leases;
  private SurrealDbUpkeep upkeep;

  @BeforeEach
  void start() {
    server = SurrealServer.start(SurrealServer.Storage.ROCKSDB);
    database = SurrealDb.open(Clients.settings(server.port()));
    limits = new SurrealDbLimitStore(database, StoreClock.of(clock));
    leases = new SurrealDbLeaseStore(database, StoreClock.of(clock));
    upkeep = new SurrealDbUpkeep(database, StoreClock.of(clock));
  }

  @AfterEach
  void stop() {
    database.close();
    server.close();
  }

  private long records(String table) {
    Map<String, Object> name = Map.of("table", table);
    String count = "RETURN array::len((SELECT VALUE id FROM type::table($table)));";
    return database.run(new Query(count, name)).number();
  }

  @Test
  void expiredRecordsAreRemovedAndOthersAreNot() {
    Crowd.concurrently(150, i -> limits.take(POLICY, "k" + i, 10));
    AcquireRequest request = AcquireRequest.of(new LimitRequest(POLICY, "id", 1));
    limits.decide(request.withRequestId("r"));
    leases.acquire("r", TWO, "a", 1);
    clock.move(MINUTE);
    leases.acquire("r2", TWO, "a", 1);
    limits.take(POLICY, "later", 10);

    assertThat(upkeep.removeExpired(1_000)).as("too early").isZero();
    // Buckets are kept for up to twice their time, and a minute more.
    clock.move(Duration.ofMinutes(2).plusSeconds(1));
    assertThat(upkeep.removeExpired(1_000)).isEqualTo(151);
    assertThat(upkeep.removeExpired(1_000)).isZero();
    assertThat(records("token_bucket")).isOne();
    assertThat(limits.usage(POLICY, "k0")).isEqualTo(Usage.NONE);
    assertThat(records("limit_request")).as("remembered for ten minutes").isOne();
    assertThat(records("concurrency_limit")).isOne();
    assertThat(records("lease")).isOne();
    assertThat(records("lease_end")).isOne();
    clock.move(Duration.ofMinutes(10));
    upkeep.removeExpired(1_000);
    for (String table :
        new String[] {"token_bucket", "limit_request", "concurrency_limit", "lease", "lease_end"}) {
      assertThat(records(table)).as(table).isZero();
    }
  }

  @Test
  void oneNodeAtATimeSweeps() {
    SurrealDbUpkeep other = new SurrealDbUpkeep(database);
    boolean[] ran = new boolean[2];
    assertThat(upkeep.runExclusively(() -> ran[0] = other.runExclusively(() -> ran[1] = true)))
        .isTrue();
    assertThat(ran).containsExactly(false, false);
    assertThat(other.runExclusively(() -> ran[1] = true)).isTrue();
    assertThat(ran[1]).isTrue();
  }

  @Test
  void sweepRunsByTheClockOfTheDatabase() {
    limits.take(POLICY, "long ago", 10);
    database.sweep();
    assertThat(records("token_bucket")).isZero();
  }
}
