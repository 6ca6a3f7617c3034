package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Decision;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseHistory;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.OnStoreFailure;
import dev.weir.limits.Policy;
import dev.weir.limits.Queue;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.internal.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The compatibility kit of stores that may stop and come back, with or without their data. A test
 * class that implements it proves that its store never exceeds a limit in either case, and refuses
 * only what may have been lost.
 *
 * <p>The store uses a real clock, and each claim has its own store.
 */
public interface ComebackKit {
  Duration DAY = Duration.ofDays(1);
  long LIMIT = 10;

  /** Those that waited in it may wait for most of an hour, which is longer than a test takes. */
  Queue LONG_QUEUE = Queue.of(100, Duration.ofSeconds(30));

  LimitStore limits();

  LeaseStore leases();

  /** Returns the stores as another node opens them, after the last loss. */
  LimitStore limitsOfNewNode();

  /** Cuts the connections, and returns when the store responds again. */
  void comeBackUnchanged();

  /** Stops the store, and returns when it responds again and has lost everything. */
  void comeBackEmpty();

  /** Returns the kinds of limit that the store supports. */
  default List<Class<? extends Limit>> kinds() {
    return List.of(FixedWindow.class, SlidingWindow.class, TokenBucket.class);
  }

  /** Limits whose windows do not end within a test, whenever it runs. */
  private List<Limit> longLimits() {
    return Stream.<Limit>of(
            FixedWindow.of(LIMIT, DAY),
            SlidingWindow.of(LIMIT, DAY),
            TokenBucket.of(LIMIT, Duration.ofDays(100)))
        .filter(limit -> kinds().contains(limit.getClass()))
        .toList();
  }

  private static Policy policy(Limit limit) {
    return Policy.of(limit.getClass().getSimpleName(), limit);
  }

  private long granted(Policy policy, String key, int attempts) {
    long granted = 0;
    for (int i = 0; i < attempts; i++) {
      granted += limits().take(policy, key, 1) ? 1 : 0;
    }
    return granted;
  }

  @Test
  default void storeThatComesBackUnchangedContinues() {
    longLimits().forEach(limit -> assertThat(granted(policy(limit), "k", 4)).isEqualTo(4));
    comeBackUnchanged();
    for (Limit limit : longLimits()) {
      assertThat(granted(policy(limit), "k", 20)).as(limit.toString()).isEqualTo(6);
      assertThat(granted(policy(limit), "other", 1)).isEqualTo(1);
    }
    assertThat(leases().acquire("r", Concurrency.of(2, DAY), "a", 2).isGranted()).isTrue();
  }

  @Test
  default void storeThatComesBackEmptyGrantsNoMoreThanTheLimit() {
    longLimits().forEach(limit -> assertThat(granted(policy(limit), "k", 4)).isEqualTo(4));
    comeBackEmpty();
    for (Limit limit : longLimits()) {
      // As if all permits had been taken when the loss was noticed: none is left, by every method.
      assertThat(granted(policy(limit), "k", 20)).as(limit.toString()).isZero();
      AcquireRequest request = AcquireRequest.of(LimitRequest.of(policy(limit), "k"));
      Decision decision = limits().decide(request.withRequestId("id")).decision();
      assertThat(decision.remaining()).isZero();
      assertThat(decision).isInstanceOf(Decision.Refused.class);
      assertThat(((Decision.Refused) decision).retryAfter())
          .isPositive()
          .isLessThan(DAY.multipliedBy(11));
      assertThat(limits().peek(request).isAllowed()).isFalse();
    }
  }

  @Test
  default void nodeThatStartsAfterTheLossKnowsOfItFromTheStore() {
    Policy policy = policy(longLimits().getFirst());
    assertThat(granted(policy, "k", 4)).isEqualTo(4);
    comeBackEmpty();
    assertThat(granted(policy, "k", 1)).isZero();
    assertThat(limitsOfNewNode().take(policy, "k", 1)).isFalse();
  }

  @Test
  default void whatBeganAfterTheLossIsNotRefused() {
    for (Limit limit : longLimits()) {
      granted(policy(limit), "k", 4);
    }
    comeBackEmpty();
    // The first call notices the loss.
    limits().take(policy(longLimits().getFirst()), "k", 1);
    for (Limit limit : longLimits()) {
      Policy later = policy(limit).createdAt(Instant.now().plusSeconds(1));
      assertThat(granted(later, "k", 20)).as(limit.toString()).isEqualTo(LIMIT);
    }
    Limit shortly =
        kinds().contains(FixedWindow.class)
            ? FixedWindow.of(LIMIT, Duration.ofMillis(1)).alignedToEpoch()
            : TokenBucket.of(LIMIT, Duration.ofMillis(1));
    Policy ending = Policy.of("short", shortly);
    assertThat(eventually(() -> limits().take(ending, "k", 1))).isTrue();
  }

  @Test
  default void lossThatIsOverDoesNotBeginAgainWhenALimitChanges() {
    List<Limit> shortly =
        Stream.<Limit>of(
                FixedWindow.of(LIMIT, Duration.ofMillis(1)),
                SlidingWindow.of(LIMIT, Duration.ofMillis(1)),
                TokenBucket.of(LIMIT, Duration.ofMillis(1)))
            .filter(limit -> kinds().contains(limit.getClass()))
            .toList();
    shortly.forEach(limit -> limits().take(policy(limit), "k", 1));
    comeBackEmpty();
    for (int i = 0; i < shortly.size(); i++) {
      Policy former = policy(shortly.get(i));
      assertThat(eventually(() -> limits().take(former, "k", LIMIT))).isTrue();
      Policy changed = former.changed(longLimits().get(i), Instant.now().plusMillis(2));
      assertThat(granted(changed, "idle", 20)).as(changed.toString()).isEqualTo(LIMIT);
      AcquireRequest request = AcquireRequest.of(LimitRequest.of(changed, "other"));
      assertThat(limits().decide(request.withRequestId("id " + i)).isAllowed()).isTrue();
    }
  }

  @Test
  default void lossThatIsNotOverCountsFromTheChangeOn() {
    longLimits().forEach(limit -> limits().take(policy(limit), "k", 1));
    comeBackEmpty();
    List<Limit> shorter =
        Stream.<Limit>of(
                FixedWindow.of(LIMIT, Duration.ofHours(1)),
                SlidingWindow.of(LIMIT, Duration.ofHours(1)),
                TokenBucket.of(LIMIT, DAY))
            .filter(limit -> kinds().contains(limit.getClass()))
            .toList();
    // The first call notices the loss.
    limits().take(policy(longLimits().getFirst()), "k", 1);
    for (int i = 0; i < shorter.size(); i++) {
      Policy changed =
          policy(longLimits().get(i))
              .createdAt(Instant.now().minus(DAY))
              .changed(shorter.get(i), Instant.now());
      assertThat(granted(changed, "k", 20)).as(changed.toString()).isZero();
    }
  }

  @Test
  default void policiesThatRatherLetPassAreNotRefusedForALoss() {
    for (OnStoreFailure open : List.of(OnStoreFailure.LOCAL, OnStoreFailure.OPEN)) {
      Policy policy = policy(longLimits().getFirst()).onStoreFailure(open);
      assertThat(granted(policy, open.name(), 4)).isEqualTo(4);
      comeBackEmpty();
      assertThat(granted(policy, open.name(), 20)).as(open.name()).isEqualTo(LIMIT);
    }
  }

  @Test
  default void bucketComesBackLittleByLittle() {
    // A token every millisecond: the loss is soon made up for, and the capacity is never exceeded.
    Policy policy = Policy.of("bucket", TokenBucket.of(LIMIT, Duration.ofMillis(10)));
    limits().take(policy, "k", LIMIT);
    comeBackEmpty();
    assertThat(eventually(() -> limits().take(policy, "k", LIMIT))).isTrue();
  }

  @Test
  default void leasesAreNotGivenTwiceByAStoreThatComesBackEmpty() {
    Concurrency two = Concurrency.of(2, DAY);
    assertThat(leases().acquire("r", two, "a", 1).isGranted()).isTrue();
    assertThat(leases().acquire("r", two, "b", 1).isGranted()).isTrue();
    comeBackEmpty();
    LeaseDecision decision = leases().acquire("r", two, "c", 1);
    assertThat(decision).isInstanceOf(LeaseDecision.Full.class);
    assertThat(decision.current()).isEqualTo(2);
    assertThat(((LeaseDecision.Full) decision).retryAfter()).isPositive().isLessThanOrEqualTo(DAY);
    assertThat(leases().renew("r", two, "a")).isInstanceOf(LeaseDecision.Gone.class);
    assertThat(leases().join("q", LONG_QUEUE, "t")).isInstanceOf(LeaseDecision.Full.class);
    LeaseHistory later = LeaseHistory.since(Instant.now().plusSeconds(1));
    assertThat(leases().acquire("later", two, "a", 2, later).isGranted()).isTrue();
    assertThat(leases().acquire("later", two, "b", 1, later).isGranted()).isFalse();
    // Leases that would have ended by now do not block new ones.
    assertThat(
            eventually(
                () ->
                    leases()
                        .acquire("short", Concurrency.of(1, Duration.ofMillis(1)), "a", 1)
                        .isGranted()))
        .isTrue();
  }

  @Test
  default void lostPlacesAreReportedAsHeldUntilTheyMustHaveEnded() {
    Concurrency two = Concurrency.of(2, DAY);
    assertThat(leases().acquire("r", two, "a", 1).isGranted()).isTrue();
    assertThat(leases().current("r", two, LeaseHistory.UNKNOWN)).isEqualTo(1);
    assertThat(leases().current("q", LONG_QUEUE, LeaseHistory.UNKNOWN)).isZero();
    comeBackEmpty();
    assertThat(leases().current("r", two, LeaseHistory.UNKNOWN)).isEqualTo(2);
    assertThat(leases().current("q", LONG_QUEUE, LeaseHistory.UNKNOWN))
        .isEqualTo(LONG_QUEUE.maxSize());
    LeaseHistory later = LeaseHistory.since(Instant.now().plusSeconds(1));
    assertThat(leases().current("later", two, later)).isZero();
    assertThat(leases().current("later", LONG_QUEUE, later)).isZero();
  }

  @Test
  default void leasesWithAFormerLongerTimeToLiveAreWaitedForByAStoreThatComesBackEmpty() {
    Concurrency two = Concurrency.of(2, DAY);
    Concurrency shorter = Concurrency.of(2, Duration.ofMillis(1));
    assertThat(leases().acquire("r", two, "a", 2).isGranted()).isTrue();
    Queue queue = Queue.of(2, Duration.ofMillis(1));
    LeaseHistory history = LeaseHistory.UNKNOWN.heldUntil(Instant.now().plus(DAY));
    comeBackEmpty();
    // The shorter time has passed for everything that was lost.
    assertThat(eventually(() -> leases().acquire("s", shorter, "a", 1).isGranted())).isTrue();
    LeaseDecision decision = leases().acquire("r", shorter, "c", 1, history);
    assertThat(decision).isInstanceOf(LeaseDecision.Full.class);
    assertThat(((LeaseDecision.Full) decision).retryAfter())
        .isGreaterThan(DAY.dividedBy(2))
        .isLessThanOrEqualTo(DAY.plusMinutes(10));
    assertThat(leases().current("r", shorter, history)).isEqualTo(2);
    assertThat(leases().join("q", queue, "t", history)).isInstanceOf(LeaseDecision.Full.class);
    assertThat(leases().current("q", queue, history)).isEqualTo(2);
    LeaseHistory ended = LeaseHistory.UNKNOWN.heldUntil(Instant.now().minus(DAY));
    assertThat(leases().acquire("ended", shorter, "a", 1, ended).isGranted()).isTrue();
    // What is newer than the loss has lost nothing.
    LeaseHistory later =
        LeaseHistory.since(Instant.now().plusSeconds(1)).heldUntil(Instant.now().plus(DAY));
    assertThat(leases().acquire("later", shorter, "a", 1, later).isGranted()).isTrue();
  }

  private static boolean eventually(BooleanSupplier isSo) {
    long deadlineNanos = System.nanoTime() + Duration.ofMinutes(4).toNanos();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() > deadlineNanos) {
        return false;
      }
      Await.pause();
    }
    return true;
  }
}
