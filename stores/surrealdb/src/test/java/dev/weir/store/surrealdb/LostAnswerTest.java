package dev.weir.store.surrealdb;

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
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.LossyRelay;
import dev.weir.store.tck.internal.SurrealServer;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compares what a store reports after a lost response with what SurrealDB did. */
@RequiresSurrealDb
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LostAnswerTest {
  private static final Policy TEN = Policy.of("ten", TokenBucket.of(10, Duration.ofHours(100)));
  private static final Concurrency TWO = Concurrency.of(2, Duration.ofMinutes(10));

  private static SurrealServer server;

  private LossyRelay relay;
  private SurrealDb database;
  private SurrealDbLimitStore limits;
  private SurrealDbLeaseStore leases;

  @BeforeAll
  static void startServer() {
    server = SurrealServer.start(SurrealServer.Storage.ROCKSDB);
    try (SurrealDb first = SurrealDb.open(Clients.settings(server.port()))) {
      first.check();
    }
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void start() throws Exception {
    relay = new LossyRelay(server.port());
    database = SurrealDb.open(Clients.settings(relay.port()));
    limits = new SurrealDbLimitStore(database);
    leases = new SurrealDbLeaseStore(database);
    Eventually.answer(() -> remaining("warm"));
  }

  @AfterEach
  void stop() throws Exception {
    database.close();
    relay.close();
  }

  private static Outcome outcomeOf(ThrowingCallable work) {
    return catchThrowableOfType(StoreException.class, work).outcome();
  }

  private long remaining(String key) {
    return limits.peek(AcquireRequest.of(new LimitRequest(TEN, key, 1))).decision().remaining();
  }

  @Test
  void grantIsReplayedByItsRequestId() {
    AcquireRequest request =
        AcquireRequest.of(new LimitRequest(TEN, "replayed", 3)).withRequestId("r");
    relay.loseAnswerTo("weir limits");

    assertThat(outcomeOf(() -> limits.decide(request))).isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    assertThat(Eventually.answer(() -> limits.decide(request)).isReplayed()).isTrue();
    assertThat(remaining("replayed")).isEqualTo(7);
  }

  @Test
  void leaseIsHeldByTheSameId() {
    relay.loseAnswerTo("weir leases");

    assertThat(outcomeOf(() -> leases.acquire("held", TWO, "mine", 2))).isEqualTo(Outcome.UNKNOWN);

    assertThat(relay.lost()).isOne();
    assertThat(Eventually.answer(() -> leases.acquire("held", TWO, "mine", 2)))
        .isInstanceOf(LeaseDecision.Held.class);
    assertThat(leases.current("held")).isEqualTo(2);
  }

  @Test
  void readingChangesNothingWhateverIsLost() {
    relay.loseAnswerTo("weir usages");
    assertThat(outcomeOf(() -> remaining("k"))).isEqualTo(Outcome.NONE);
    relay.loseAnswerTo("weir leases");
    assertThat(outcomeOf(() -> leases.current("r"))).isEqualTo(Outcome.NONE);
    assertThat(relay.lost()).isEqualTo(2);
  }

  @Test
  void callThatIsNotAnsweredInTimeIsUnknown() {
    AcquireRequest one = AcquireRequest.of(new LimitRequest(TEN, "k", 1));
    try (SurrealDb hasty =
        SurrealDb.open(Clients.settings(server.port()).withTimeout(Duration.ofSeconds(1)))) {
      SurrealDbLimitStore store = new SurrealDbLimitStore(hasty);
      Eventually.answer(() -> store.peek(one));
      server.signal("STOP");
      try {
        // On a busy machine, the time of a call may be over before it is sent.
        Await.until(() -> outcomeOf(() -> store.take(TEN, "stopped", 1)) == Outcome.UNKNOWN);
        assertThat(outcomeOf(() -> store.peek(one))).isEqualTo(Outcome.NONE);
      } finally {
        server.signal("CONT");
      }
    }
  }

  @Test
  void nothingIsDoneIfConnectionsAreRefused() throws Exception {
    relay.close();
    // The first calls may still find connections that were cut.
    Await.until(() -> outcomeOf(() -> limits.take(TEN, "other", 1)) == Outcome.NONE);

    assertThat(outcomeOf(() -> limits.take(TEN, "refused", 1))).isEqualTo(Outcome.NONE);
    assertThat(outcomeOf(() -> leases.acquire("r", TWO, "mine", 1))).isEqualTo(Outcome.NONE);
    try (SurrealDb straight = SurrealDb.open(Clients.settings(server.port()))) {
      AcquireRequest one = AcquireRequest.of(new LimitRequest(TEN, "refused", 1));
      assertThat(new SurrealDbLimitStore(straight).peek(one).decision().remaining()).isEqualTo(10);
    }
  }
}
