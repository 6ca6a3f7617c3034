package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.StoreException;
import dev.weir.StoreException.Outcome;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.internal.LossyRelay;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compares what a store reports after a lost response with what Redis did. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class LostAnswers {
  private static final Policy TEN = Policy.of("ten", TokenBucket.of(10, Duration.ofDays(1)));
  private static final Concurrency TWO = Concurrency.of(2, Duration.ofMinutes(10));

  private final RedisProgram program;
  private RedisServer server;
  private LossyRelay relay;
  private Redis redis;
  private RedisLimitStore limits;
  private RedisLeaseStore leases;

  LostAnswers(RedisProgram program) {
    this.program = program;
  }

  @BeforeEach
  void start() throws Exception {
    server = RedisServer.start(program);
    relay = new LossyRelay(server.port());
    redis =
        Redis.open(
            RedisSettings.of("redis://127.0.0.1:" + relay.port())
                .withCommandTimeout(Servers.MAX_WAIT));
    limits = new RedisLimitStore(redis);
    leases = new RedisLeaseStore(redis);
    RedisFaults.eventually(() -> limits.peek(AcquireRequest.of(new LimitRequest(TEN, "warm", 1))));
    RedisFaults.eventually(() -> leases.current("warm"));
  }

  @AfterEach
  void stop() throws Exception {
    redis.close();
    relay.close();
    server.close();
  }

  private static Outcome outcomeOf(ThrowingCallable work) {
    return catchThrowableOfType(StoreException.class, work).outcome();
  }

  @Test
  void grantIsReplayedByItsRequestId() {
    AcquireRequest request = AcquireRequest.of(new LimitRequest(TEN, "k", 3)).withRequestId("r");
    relay.loseAnswerTo("EVALSHA");

    assertThat(outcomeOf(() -> limits.decide(request))).isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    assertThat(RedisFaults.eventually(() -> limits.decide(request)).isReplayed()).isTrue();
    assertThat(remaining("k")).isEqualTo(7);
  }

  @Test
  void leaseIsHeldByTheSameId() {
    relay.loseAnswerTo("EVALSHA");

    assertThat(outcomeOf(() -> leases.acquire("r", TWO, "mine", 2))).isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    assertThat(RedisFaults.eventually(() -> leases.acquire("r", TWO, "mine", 2)))
        .isInstanceOf(LeaseDecision.Held.class);
    assertThat(leases.current("r")).isEqualTo(2);
  }

  @Test
  void readingChangesNothingWhateverIsLost() {
    relay.loseAnswerTo("EVALSHA");
    assertThat(outcomeOf(() -> remaining("k"))).isEqualTo(Outcome.NONE);
    RedisFaults.eventually(() -> remaining("k"));
    relay.loseAnswerTo("EVALSHA");
    assertThat(outcomeOf(() -> leases.current("r"))).isEqualTo(Outcome.NONE);
    assertThat(relay.lost()).isEqualTo(2);
  }

  @Test
  void commandThatRedisHasAndDoesNotAnswerInTimeIsUnknown() {
    try (Redis client =
        Redis.open(RedisSettings.of(server.uri()).withCommandTimeout(Duration.ofMillis(500)))) {
      RedisLimitStore hasty = new RedisLimitStore(client);
      RedisFaults.eventually(() -> hasty.usage(TEN, "warm"));
      server.signal("STOP");
      try {
        assertThat(outcomeOf(() -> hasty.take(TEN, "k", 1))).isEqualTo(Outcome.UNKNOWN);
      } finally {
        server.signal("CONT");
      }
    }
  }

  @Test
  void nothingIsDoneIfConnectionsAreRefused() throws Exception {
    relay.close();
    // The first call may still find the connection cut.
    assertThat(outcomeOf(() -> limits.take(TEN, "other", 1))).isNotNull();

    assertThat(outcomeOf(() -> limits.take(TEN, "k", 1))).isEqualTo(Outcome.NONE);
    assertThat(outcomeOf(() -> leases.acquire("r", TWO, "mine", 1))).isEqualTo(Outcome.NONE);
    try (Redis never = Redis.open(RedisSettings.of("redis://127.0.0.1:" + relay.port()))) {
      assertThat(outcomeOf(() -> new RedisLimitStore(never).take(TEN, "k", 1)))
          .isEqualTo(Outcome.NONE);
    }
    try (Redis straight = Servers.open(server.uri())) {
      RedisLimitStore witness = new RedisLimitStore(straight);
      AcquireRequest one = AcquireRequest.of(new LimitRequest(TEN, "k", 1));
      assertThat(witness.peek(one).decision().remaining()).isEqualTo(10);
    }
  }

  /**
   * Without a handshake, the command waits for the connection and is given up before it is sent.
   */
  @Test
  void commandThatWasNeverSentHasDoneNothing() throws Exception {
    try (RedisServer hanging = RedisServer.start(program)) {
      hanging.signal("STOP");
      try (Redis never =
          Redis.open(RedisSettings.of(hanging.uri()).withCommandTimeout(Duration.ofMillis(300)))) {
        assertThat(outcomeOf(() -> new RedisLimitStore(never).take(TEN, "k", 1)))
            .isEqualTo(Outcome.NONE);
      } finally {
        hanging.signal("CONT");
      }
    }
  }

  @Test
  void refusalOfRedisBeforeTheFirstWriteHasDoneNothing() {
    assertThat(server.command("CONFIG SET maxmemory 1")).startsWith("+OK");
    assertThat(outcomeOf(() -> limits.take(TEN, "k", 1))).isEqualTo(Outcome.NONE);
    assertThat(server.command("CONFIG SET maxmemory 0")).startsWith("+OK");
    assertThat(remaining("k")).isEqualTo(10);
  }

  private long remaining(String key) {
    return limits.peek(AcquireRequest.of(new LimitRequest(TEN, key, 1))).decision().remaining();
  }
}
