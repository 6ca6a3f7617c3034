package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseHistory;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.OnStoreFailure;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.StoreHistory;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.limits.ComebackKit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Redis whose connections are cut, that is flushed, killed, or started from what it saved. */
abstract class RedisComeback implements ComebackKit {
  private static final List<String> OLD_SNAPSHOT = List.of("--dbfilename", "old.rdb");
  private static final Concurrency THREE = Concurrency.of(3, Duration.ofMinutes(10));
  private static final Policy TEN = Policy.of("ten", FixedWindow.of(10, DAY));

  private final RedisProgram program;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final RememberedUse history = new RememberedUse();
  private RedisServer server;
  private Redis redis;

  RedisComeback(RedisProgram program) {
    this.program = program;
  }

  /** A history that outlives the nodes of a test. */
  private static final class RememberedUse implements StoreHistory {
    private boolean isUsed;
    private Optional<Mark> latest = Optional.empty();

    /** How often it fails after the step: before the use is recorded, or after that. */
    private int failuresBefore;

    private int failuresAfter;

    @Override
    public synchronized void prepare(String store, Step step) {
      step.prepare(new Past(!isUsed, latest));
      if (failuresBefore-- > 0) {
        throw new IllegalStateException("not recorded");
      }
      isUsed = true;
      if (failuresAfter-- > 0) {
        throw new IllegalStateException("no answer");
      }
    }

    @Override
    public synchronized void saw(String store, Mark mark) {
      latest = Optional.of(mark);
    }
  }

  @BeforeEach
  void start() {
    server = opened(RedisServer.start(program));
    redis = open();
  }

  @AfterEach
  void stop() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }

  private <T extends AutoCloseable> T opened(T part) {
    opened.push(part);
    return part;
  }

  private Redis open() {
    return nodeOf(server, history);
  }

  @Override
  public LimitStore limits() {
    return new RedisLimitStore(redis);
  }

  @Override
  public LeaseStore leases() {
    return new RedisLeaseStore(redis);
  }

  @Override
  public LimitStore limitsOfNewNode() {
    return new RedisLimitStore(open());
  }

  @Override
  public void comeBackUnchanged() {
    assertThat(server.command("CLIENT KILL TYPE normal SKIPME yes")).startsWith(":");
    awaitAnswer();
  }

  @Override
  public void comeBackEmpty() {
    // Something was kept, or there would be nothing to lose.
    limits().take(TEN, "any", 1);
    server.kill();
    server.restart();
    awaitAnswer();
  }

  private void awaitAnswer() {
    RedisFaults.eventually(() -> limits().usage(TEN, "warm"));
  }

  private int granted(int attempts) {
    return granted(limits(), attempts);
  }

  private static int granted(LimitStore store, int attempts) {
    int granted = 0;
    for (int i = 0; i < attempts; i++) {
      granted += store.take(TEN, "k", 1) ? 1 : 0;
    }
    return granted;
  }

  @Test
  void flushedRedisGrantsNoMore() {
    assertThat(granted(4)).isEqualTo(4);
    assertThat(server.command("FLUSHALL")).startsWith("+OK");
    assertThat(granted(20)).isZero();
  }

  @Test
  void nodeThatStartsAfterTheLossLearnsOfItFromItsHistory() {
    assertThat(granted(4)).isEqualTo(4);
    comeBackEmpty();
    // The only node that has seen it filled is gone as well.
    assertThat(granted(limitsOfNewNode(), 20)).isZero();
  }

  @Test
  void lossIsLearnedOfAlsoIfTheFirstUseWasNotRecordedAtOnce() {
    history.failuresBefore = 1;
    assertThatThrownBy(() -> granted(1)).hasMessage("not recorded");
    assertThat(granted(4)).isEqualTo(4);
    comeBackEmpty();
    assertThat(granted(limitsOfNewNode(), 20)).isZero();
  }

  @Test
  void firstUseWhoseRecordIsNotAnsweredRefusesNothing() {
    history.failuresAfter = 1;
    assertThatThrownBy(() -> granted(1)).hasMessage("no answer");
    assertThat(granted(limitsOfNewNode(), 4) + granted(20)).isEqualTo(10);
  }

  @Test
  void firstUseRefusesNothingOnTwoNodes() {
    RedisLimitStore other = new RedisLimitStore(open());
    assertThat(granted(5) + granted(other, 20)).isEqualTo(10);
  }

  @Test
  void restartThatKeepsEverythingRefusesNothing() {
    withSaved(
        List.of("--appendonly", "yes", "--appendfsync", "always"),
        (saved, store) -> {
          assertThat(granted(store, 4)).isEqualTo(4);
          saved.kill();
          saved.restart();
          assertThat(RedisFaults.eventually(() -> store.take(TEN, "k", 1))).isTrue();
          assertThat(granted(store, 20)).isEqualTo(5);
        });
  }

  @Test
  void restartFromAnOldSnapshotGrantsNoMore() {
    withSaved(
        OLD_SNAPSHOT,
        (saved, store) -> {
          loseWhatIsTakenAfterASnapshot(saved, store);
          assertThat(RedisFaults.eventually(() -> store.take(TEN, "k", 1))).isFalse();
          assertThat(granted(store, 20)).isZero();
        });
  }

  @Test
  void oldSnapshotIsNoticedAfterANodeThatKnewNoBetterHasWritten() {
    withSaved(
        OLD_SNAPSHOT,
        (saved, store) -> {
          RedisLimitStore idle = new RedisLimitStore(nodeOf(saved, StoreHistory.NONE));
          assertThat(granted(idle, 1)).isEqualTo(1);
          loseWhatIsTakenAfterASnapshot(saved, store);
          RedisFaults.eventually(() -> idle.take(TEN, "k", 1));
          assertThat(RedisFaults.eventually(() -> store.take(TEN, "k", 1))).isFalse();
          assertThat(granted(store, 20) + granted(idle, 20)).isZero();
        });
  }

  /** A settlement dates a usage anew, so that an old one would seem to be from after the loss. */
  @Test
  void oldSnapshotIsNotBelievedByASettlement() {
    withSaved(
        OLD_SNAPSHOT,
        (saved, store) -> {
          Policy bucket = Policy.of("bucket", TokenBucket.of(10, DAY.multipliedBy(100)));
          assertThat(store.take(bucket, "k", 1)).isTrue();
          loseWhatIsTakenAfterASnapshot(
              saved, store, () -> assertThat(store.take(bucket, "k", 9)).isTrue());
          for (Policy former : List.of(TEN, bucket)) {
            Limit shorter =
                former.limit() instanceof TokenBucket
                    ? TokenBucket.of(10, DAY)
                    : FixedWindow.of(10, Duration.ofHours(1));
            Instant now = Micros.instant(saved.micros());
            Policy changed = former.createdAt(now.minus(DAY)).changed(shorter, now).version(2);
            RedisFaults.eventually(
                () -> {
                  store.settle(changed);
                  return true;
                });
            assertThat(store.take(changed, "k", 1)).as("%s", changed).isFalse();
          }
        });
  }

  @Test
  void grantThatWasRefundedIsNotRefundedAgainFromAnOldSnapshot() {
    withSaved(
        OLD_SNAPSHOT,
        (saved, store) -> {
          Policy bucket = Policy.of("bucket", TokenBucket.of(10, DAY.multipliedBy(100)));
          AcquireRequest all =
              AcquireRequest.of(new LimitRequest(bucket, "k", 10)).withRequestId("all");
          Instant takenAt = store.decide(all).decidedAt();
          loseWhatIsTakenAfterASnapshot(
              saved,
              store,
              () -> {
                assertThat(store.refund(all, takenAt)).isEqualTo(Refund.GIVEN_BACK);
                assertThat(store.take(bucket, "k", 10)).isTrue();
              });
          RedisFaults.eventually(() -> store.refund(all, takenAt));
          assertThat(store.take(bucket, "k", 1)).isFalse();
        });
  }

  @Test
  void oldSnapshotIsNoticedWhileTheClockIsBehind() {
    withSaved(
        OLD_SNAPSHOT,
        (saved, unused) -> {
          AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
          RedisLimitStore store =
              new RedisLimitStore(nodeOf(saved, StoreHistory.NONE), StoreClock.of(now::get));
          now.set(now.get().plus(Duration.ofHours(1)));
          assertThat(granted(store, 1)).isEqualTo(1);
          now.set(now.get().minus(Duration.ofMinutes(30)));
          assertThat(granted(store, 1)).isEqualTo(1);
          assertThat(saved.command("SAVE")).startsWith("+OK");
          assertThat(granted(store, 5)).isEqualTo(5);
          saved.kill();
          saved.restart();
          assertThat(RedisFaults.eventually(() -> store.take(TEN, "k", 1))).isFalse();
          assertThat(granted(store, 20)).isZero();
        });
  }

  @Test
  void oldSnapshotIsNoticedByANodeThatKnewNoBetterFromItsHistory() {
    withSaved(
        OLD_SNAPSHOT,
        (saved, store) -> {
          Redis busy = nodeOf(saved, history);
          RedisLimitStore idle = new RedisLimitStore(nodeOf(saved, history));
          assertThat(granted(idle, 1)).isEqualTo(1);
          loseWhatIsTakenAfterASnapshot(saved, new RedisLimitStore(busy), busy::look);
          assertThat(RedisFaults.eventually(() -> idle.take(TEN, "k", 1))).isFalse();
          assertThat(granted(idle, 20) + granted(store, 20)).isZero();
        });
  }

  @Test
  void oldSnapshotIsNoticedByANodeThatStartsAfterwards() {
    withSaved(
        OLD_SNAPSHOT,
        (saved, store) -> {
          Redis busy = nodeOf(saved, history);
          loseWhatIsTakenAfterASnapshot(saved, new RedisLimitStore(busy), busy::look);
          busy.close();
          assertThat(granted(new RedisLimitStore(nodeOf(saved, history)), 20)).isZero();
        });
  }

  @Test
  void oldSnapshotIsNoticedByPeeks() {
    withSaved(
        OLD_SNAPSHOT,
        (saved, store) -> {
          Redis busy = nodeOf(saved, history);
          loseWhatIsTakenAfterASnapshot(saved, new RedisLimitStore(busy), busy::look);
          busy.close();
          AcquireRequest one = AcquireRequest.of(LimitRequest.of(TEN, "k"));
          assertThat(new RedisLimitStore(nodeOf(saved, history)).peek(one).isAllowed()).isFalse();
        });
  }

  @Test
  void oldSnapshotIsNoticedByTheCountOfLeases() {
    withSaved(
        OLD_SNAPSHOT,
        (saved, store) -> {
          Redis busy = nodeOf(saved, history);
          loseWhatIsTakenAfterASnapshot(saved, new RedisLimitStore(busy), busy::look);
          busy.close();
          RedisLeaseStore late = new RedisLeaseStore(nodeOf(saved, history));
          assertThat(late.current("r", THREE, LeaseHistory.UNKNOWN)).isEqualTo(3);
        });
  }

  @Test
  void oldSnapshotIsNoticedByLeasesAsWell() {
    withSaved(
        OLD_SNAPSHOT,
        (saved, store) -> {
          Redis busy = nodeOf(saved, history);
          RedisLeaseStore idle = new RedisLeaseStore(nodeOf(saved, history));
          assertThat(idle.acquire("r", THREE, "a", 1)).isInstanceOf(LeaseDecision.Held.class);
          loseWhatIsTakenAfterASnapshot(saved, new RedisLimitStore(busy), busy::look);
          assertThat(RedisFaults.eventually(() -> idle.acquire("r", THREE, "b", 1)))
              .isInstanceOf(LeaseDecision.Full.class);
        });
  }

  /** It was released after the snapshot, and its place given to another. */
  @Test
  void leaseOfAnOldSnapshotIsNotGrantedAgain() {
    withSaved(
        OLD_SNAPSHOT,
        (saved, store) -> {
          RedisLeaseStore leases = new RedisLeaseStore(nodeOf(saved, history));
          Concurrency one = Concurrency.of(1, Duration.ofMinutes(10));
          assertThat(leases.acquire("r", one, "a", 1).isGranted()).isTrue();
          loseWhatIsTakenAfterASnapshot(
              saved,
              store,
              () -> {
                var unused = leases.release("r", "a");
                assertThat(leases.acquire("r", one, "b", 1).isGranted()).isTrue();
              });
          assertThat(RedisFaults.eventually(() -> leases.acquire("r", one, "a", 1)))
              .isInstanceOf(LeaseDecision.Full.class);
          assertThat(leases.renew("r", one, "b")).isInstanceOf(LeaseDecision.Gone.class);
        });
  }

  @Test
  void restartThatKeepsEverythingRefusesNothingOnAnyNode() {
    withSaved(
        List.of("--appendonly", "yes", "--appendfsync", "always"),
        (saved, store) -> {
          Redis busy = nodeOf(saved, history);
          RedisLimitStore busyStore = new RedisLimitStore(busy);
          RedisLimitStore idle = new RedisLimitStore(nodeOf(saved, history));
          assertThat(granted(idle, 1)).isEqualTo(1);
          int granted = 1 + takeUntilMarkerChanges(saved, busyStore);
          busy.look();
          saved.kill();
          saved.restart();
          awaitSecond(saved);
          assertThat(RedisFaults.eventually(() -> idle.take(TEN, "k", 1))).isTrue();
          assertThat(RedisFaults.eventually(() -> busyStore.take(TEN, "k", 1))).isTrue();
          assertThat(granted(store, 20)).isEqualTo(10 - granted - 2);
        });
  }

  @Test
  void lossIsDetectedWithoutRequests() {
    assertThat(granted(4)).isEqualTo(4);
    assertThat(server.command("FLUSHALL")).startsWith("+OK");
    redis.look();
    Instant later = Micros.instant(server.micros() + 1_000_000);
    Policy made = new Policy("made later", TEN.limit(), OnStoreFailure.CLOSED, later);
    awaitSecond(server);
    assertThat(limits().take(made, "k", 1)).isTrue();
    assertThat(granted(20)).isZero();
  }

  @Test
  void lookingChangesNothing() {
    assertThat(granted(4)).isEqualTo(4);
    String marker = server.command("GET weir:m");
    awaitSecond(server);
    redis.look();
    assertThat(server.command("GET weir:m")).isEqualTo(marker);
    assertThat(granted(20)).isEqualTo(6);
  }

  private static void loseWhatIsTakenAfterASnapshot(
      RedisServer saved, RedisLimitStore store, Runnable... beforeTheEnd) {
    assertThat(granted(store, 1)).isEqualTo(1);
    assertThat(saved.command("SAVE")).startsWith("+OK");
    takeUntilMarkerChanges(saved, store);
    List.of(beforeTheEnd).forEach(Runnable::run);
    saved.kill();
    saved.restart();
    // A marker is written again only after a second.
    awaitSecond(saved);
  }

  /** The marker is written every second or so; the next one is not in a snapshot. */
  private static int takeUntilMarkerChanges(RedisServer saved, RedisLimitStore store) {
    String marker = saved.command("GET weir:m");
    int granted = 0;
    while (granted < 6 && saved.command("GET weir:m").equals(marker)) {
      awaitSecond(saved);
      granted += granted(store, 1);
    }
    assertThat(saved.command("GET weir:m")).isNotEqualTo(marker);
    return granted;
  }

  /** Waits until the clock of Redis has moved on by a second. */
  private static void awaitSecond(RedisServer saved) {
    long endMicros = saved.micros() + 1_000_000;
    for (long left = 1_000_000; left > 0; left = endMicros - saved.micros()) {
      LockSupport.parkNanos(1_000 * left);
    }
  }

  private Redis nodeOf(RedisServer saved, StoreHistory remembers) {
    Redis client =
        opened(
            Redis.open(
                RedisSettings.of(saved.uri()).withCommandTimeout(Servers.MAX_WAIT), remembers));
    RedisFaults.eventually(() -> new RedisLimitStore(client).usage(TEN, "warm"));
    return client;
  }

  /** A test on a Redis that saves its data. */
  @FunctionalInterface
  private interface Scene {
    void play(RedisServer server, RedisLimitStore store);
  }

  private void withSaved(List<String> options, Scene scene) {
    try (RedisServer saved = RedisServer.start(program, options.toArray(String[]::new));
        Redis client =
            Redis.open(RedisSettings.of(saved.uri()).withCommandTimeout(Servers.MAX_WAIT))) {
      RedisLimitStore store = new RedisLimitStore(client);
      RedisFaults.eventually(() -> store.usage(TEN, "warm"));
      scene.play(saved, store);
    }
  }
}
