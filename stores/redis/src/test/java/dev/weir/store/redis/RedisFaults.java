package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import dev.weir.store.tck.internal.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Redis that forgets scripts, dies, hangs, comes late, or holds what is not ours. */
abstract class RedisFaults {
  private static final Policy TEN = Policy.of("ten", TokenBucket.of(10, Duration.ofHours(1)));
  private static final Policy HUNDRED =
      Policy.of("hundred", TokenBucket.of(100, Duration.ofHours(1)));
  private static final Concurrency TWO = Concurrency.of(2, Duration.ofMinutes(10));

  /** For a Redis that is known to hang. */
  private static final Duration HASTE = Duration.ofMillis(500);

  private final RedisProgram program;
  private RedisServer server;
  private Redis redis;
  private RedisLimitStore limits;
  private RedisLeaseStore leases;

  RedisFaults(RedisProgram program) {
    this.program = program;
  }

  @BeforeEach
  void start() {
    server = RedisServer.start(program);
    redis = Redis.open(RedisSettings.of(server.uri()).withCommandTimeout(Servers.MAX_WAIT));
    limits = new RedisLimitStore(redis);
    leases = new RedisLeaseStore(redis);
    // A cold process may need longer to connect than a command may take.
    eventually(() -> limits.usage(TEN, "warm"));
  }

  @AfterEach
  void stop() {
    redis.close();
    server.close();
  }

  @Test
  void scriptsThatRedisHasForgottenAreSentAgain() {
    assertThat(remainingAfterOne()).isEqualTo(9);
    assertThat(leases.acquire("r", TWO, "a", 1)).isInstanceOf(LeaseDecision.Held.class);
    assertThat(server.command("SCRIPT FLUSH")).startsWith("+OK");
    assertThat(remainingAfterOne()).isEqualTo(8);
    assertThat(server.command("SCRIPT FLUSH")).startsWith("+OK");
    assertThat(leases.current("r")).isEqualTo(1);
  }

  @Test
  void deadRedisFailsAtOnceAndIsFoundAgain() {
    assertThat(remainingAfterOne()).isEqualTo(9);
    server.kill();
    eventuallyFails();
    long beganNanos = System.nanoTime();
    assertThatThrownBy(this::remainingAfterOne).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> leases.current("r")).isInstanceOf(StoreException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).isLessThan(Servers.MAX_WAIT);

    server.restart();
    // It kept nothing on disk, and knows that the bucket may have been empty.
    assertThat(eventually(this::remainingAfterOne)).isZero();
    assertThat(leases.current("r")).isZero();
  }

  @Test
  void callersDoNotWaitForARedisThatIsNotThereYet() {
    server.kill();
    RedisSettings settings = RedisSettings.of(server.uri()).withCommandTimeout(Servers.MAX_WAIT);
    try (Redis early = Redis.open(settings)) {
      RedisLimitStore store = new RedisLimitStore(early);
      assertThatThrownBy(() -> store.take(TEN, "k", 1)).isInstanceOf(StoreException.class);
      server.restart();
      assertThat(eventually(() -> store.take(TEN, "k", 1))).isTrue();
    }
  }

  @Test
  void hangingRedisFailsInTimeAndTakesNothingTwice() {
    assertThat(remainingAfterOne()).isEqualTo(9);
    try (Redis client = Redis.open(RedisSettings.of(server.uri()).withCommandTimeout(HASTE))) {
      RedisLimitStore hasty = new RedisLimitStore(client);
      eventually(() -> hasty.usage(TEN, "warm"));
      server.signal("STOP");
      try {
        long beganNanos = System.nanoTime();
        assertThatThrownBy(() -> hasty.take(TEN, "k", 1))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("500 ms");
        assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).isGreaterThanOrEqualTo(HASTE);
      } finally {
        server.signal("CONT");
      }
    }
    // The call that was given up may have been done, once at most; ours is the other.
    assertThat(remainingAfterOne()).isBetween(7L, 8L);
  }

  @Test
  void callersBeyondTheQueueAreTurnedAway() throws Exception {
    RedisSettings few =
        new RedisSettings(server.uri(), Servers.MAX_WAIT, "weir", 4, Optional.empty());
    try (Redis crowded = Redis.open(few);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      RedisLimitStore store = new RedisLimitStore(crowded);
      eventually(() -> store.take(TEN, "warm", 1));
      server.signal("STOP");
      // Some may come so late that Redis runs again; there is enough for all.
      Callable<Boolean> call = () -> store.take(HUNDRED, "k", 1);
      CompletionService<Boolean> ended = new ExecutorCompletionService<>(callers);
      List<Future<Boolean>> calls = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        calls.add(ended.submit(call));
      }
      // While Redis is stopped, callers that end were rejected.
      Future<Boolean> first = ended.take();
      server.signal("CONT");
      assertThatThrownBy(first::get).hasMessageContaining("overloaded: more than 4 requests");
      // Every caller that was accepted is answered.
      for (Future<Boolean> done : calls) {
        try {
          assertThat(done.get()).isTrue();
        } catch (ExecutionException e) {
          assertThat(e.getCause()).isInstanceOf(StoreException.class);
        }
      }
    }
  }

  @Test
  void rightPasswordOpens() {
    try (RedisServer locked = RedisServer.start(program, "--requirepass", "tr@p")) {
      String right = locked.uri().replace("redis://", "redis://default:tr%40p@");
      RedisSettings settings = RedisSettings.of(right).withCommandTimeout(Servers.MAX_WAIT);
      try (Redis opened = Redis.open(settings)) {
        RedisLimitStore store = new RedisLimitStore(opened);
        assertThat(eventually(() -> store.take(TEN, "k", 1))).isTrue();
      }
    }
  }

  @Test
  void wrongPasswordIsRepeatedNowhere() {
    String wrong = server.uri().replace("redis://", "redis://weir:tr0ub4dor@");
    try (Redis locked = Redis.open(RedisSettings.of(wrong))) {
      assertThatThrownBy(() -> new RedisLimitStore(locked).take(TEN, "k", 1))
          .isInstanceOf(StoreException.class)
          .satisfies(
              failure -> {
                for (Throwable t = failure; t != null; t = t.getCause()) {
                  assertThat(t.toString()).doesNotContain("tr0ub4dor");
                }
              });
    }
  }

  @Test
  void keyThatHoldsSomethingElseFailsOnlyItsOwnRequest() {
    server.command("SET weir:t:ten:{foreign} hello");
    assertThatThrownBy(() -> limits.take(TEN, "foreign", 1))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("another kind");
    assertThat(limits.take(TEN, "k", 1)).isTrue();
  }

  @Test
  void waitForManyLeasesIsFoundWithoutReadingThem() {
    Concurrency many = Concurrency.of(5_000, Duration.ofMinutes(10));
    long endsMicros = millisOfRedis() * 1_000 + 600_000_000;
    String fill =
        "for i=1,5000 do redis.call('ZADD','weir:l:{r}',"
            + endsMicros
            + "+i,i) end return redis.status_reply('OK')";
    assertThat(server.command("EVAL \"" + fill + "\" 0")).startsWith("+OK");
    assertThat(server.command("CONFIG RESETSTAT")).startsWith("+OK");
    LeaseDecision full = leases.acquire("r", many, "new", 4_000);
    assertThat(full).isInstanceOf(LeaseDecision.Full.class);
    assertThat(server.command("INFO commandstats")).contains("cmdstat_zrange:calls=1,");
    assertThat(((LeaseDecision.Full) full).retryAfterMicros()).isBetween(1L, 600_004_000L);
  }

  @Test
  void redisThatRefusesWritesIsNotFoundWell() {
    AcquireRequest request = AcquireRequest.of(LimitRequest.of(TEN, "k"));
    limits.probe(request);
    assertThat(remainingAfterOne()).isEqualTo(9);
    for (String[] fault :
        List.of(
            new String[] {"CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"},
            new String[] {"REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"},
            new String[] {
              "CONFIG SET min-replicas-to-write 1", "CONFIG SET min-replicas-to-write 0"
            })) {
      assertThat(server.command(fault[0])).startsWith("+OK");
      assertThatThrownBy(() -> limits.probe(request)).isInstanceOf(StoreException.class);
      assertThat(server.command(fault[1])).startsWith("+OK");
      eventually(
          () -> {
            limits.probe(request);
            return request;
          });
    }
    // It has proved that it can be written to, and counted nothing.
    assertThat(remainingAfterOne()).isEqualTo(8);
  }

  @Test
  void saysWhetherItMayDropKeys() {
    assertThat(redis.eviction()).isEmpty();
    assertThat(server.command("CONFIG SET maxmemory-policy volatile-lru")).startsWith("+OK");
    assertThat(redis.eviction()).as("without a maximum").isEmpty();
    assertThat(server.command("CONFIG SET maxmemory 1gb")).startsWith("+OK");
    assertThat(redis.eviction()).contains("volatile-lru");
  }

  @Test
  void everyKeyExpiresAndARefusalWritesNothing() {
    AcquireRequest request = AcquireRequest.of(new LimitRequest(TEN, "k", 10));
    long beganMillis = millisOfRedis();
    assertThat(limits.decide(request.withRequestId("id")).isAllowed()).isTrue();
    leases.acquire("r", TWO, "a", 2);
    // An hour until the bucket is full, ten seconds more, and what is rounded up.
    assertGiven("weir:t:ten:{k}", 3_610_002, beganMillis);
    assertGiven("weir:r:id", 600_001, beganMillis);
    assertGiven("weir:l:{r}", 600_001, beganMillis);
    assertGiven("weir:p:{r}", 600_001, beganMillis);
    // And the marker.
    assertThat(server.command("DBSIZE")).startsWith(":5");
    assertThat(server.command("PTTL weir:m")).startsWith(":-1");

    String writes = changes();
    assertThat(limits.decide(request.withRequestId("other")).isAllowed()).isFalse();
    assertThat(limits.decide(request.withRequestId("id")).isReplayed()).isTrue();
    assertThat(limits.peek(request).isAllowed()).isFalse();
    assertThat(leases.acquire("r", TWO, "b", 1)).isInstanceOf(LeaseDecision.Full.class);
    assertThat(changes()).isEqualTo(writes);
  }

  @Test
  void usageIsKeptAsLongAsItIsOfUseHoweverOftenItIsWritten() {
    // Each token needs two seconds: some writes find that Redis keeps the key long enough anyway.
    Policy twenty = Policy.of("twenty", TokenBucket.of(20, Duration.ofSeconds(40)));
    for (int taken = 1; taken <= 20; taken++) {
      assertThat(limits.take(twenty, "k", 1)).isTrue();
      Usage usage = limits.usage(twenty, "k");
      long idleMicros = twenty.limit().idleMicros(usage, usage.atMicros());
      long keptMillis = millisLeft("weir:t:twenty:{k}");
      // The time is read last, so this is rather too late than too early.
      assertThat(millisOfRedis() + keptMillis)
          .as("after %d", taken)
          .isGreaterThanOrEqualTo((usage.atMicros() + idleMicros) / 1_000);
    }
  }

  /**
   * That a key was given so long to live: what is left of it, and what has passed since, by Redis.
   */
  private void assertGiven(String key, long millis, long beganMillis) {
    long left = millisLeft(key);
    assertThat(left).as(key).isBetween(millis - (millisOfRedis() - beganMillis), millis);
  }

  private long millisOfRedis() {
    return server.micros() / 1_000;
  }

  private long remainingAfterOne() {
    return limits.decide(TEN, "k", 1).remaining();
  }

  private long millisLeft(String key) {
    return Long.parseLong(server.command("PTTL " + key).strip().substring(1));
  }

  /** How much has been written since the start, as Redis counts it. */
  private String changes() {
    return server
        .command("INFO persistence")
        .lines()
        .filter(line -> line.startsWith("rdb_changes_since_last_save"))
        .findFirst()
        .orElseThrow();
  }

  /** The end of the connection takes a moment to be seen. */
  private void eventuallyFails() {
    Await.until(
        () -> {
          try {
            limits.peek(AcquireRequest.of(LimitRequest.of(TEN, "k")));
            return false;
          } catch (StoreException e) {
            return true;
          }
        });
  }

  static <T> T eventually(Callable<T> call) {
    return Await.answer(call);
  }
}
