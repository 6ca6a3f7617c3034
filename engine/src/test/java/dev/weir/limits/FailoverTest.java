package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.memory.MemoryLimitStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailoverTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final CircuitBreaker.Settings SETTINGS =
      new CircuitBreaker.Settings(3, Duration.ofMillis(200), Duration.ofSeconds(5));
  private static final TokenBucket TEN = TokenBucket.of(10, Duration.ofSeconds(10));

  private long nowMicros = 1_700_000_000_000_000L;
  private final FragileStore store = new FragileStore(() -> nowMicros);
  private final FragileStore next = new FragileStore(() -> nowMicros);
  private final List<String> heard = new ArrayList<>();
  private final LimitObserver observer =
      new LimitObserver() {
        @Override
        public void storeFailed(String name, StoreException failure) {
          heard.add(name + ": " + failure.getMessage());
        }

        @Override
        public void breakerChanged(String name, CircuitBreaker.State state) {
          heard.add(name + " is " + state);
        }
      };

  private Failover failover() {
    return builder(store).observer(observer).build();
  }

  private FailoverBuilder builder(LimitStore reached) {
    return Failover.of(reached)
        .named("redis")
        .fallback(next)
        .nodes(2)
        .maxLocalKeys(1_000)
        .breaker(SETTINGS)
        .clock(() -> Micros.instant(nowMicros));
  }

  private static Policy policy(Limit limit, OnStoreFailure onFailure) {
    return Policy.of("p", limit).onStoreFailure(onFailure);
  }

  private static AcquireRequest one(Policy policy) {
    return AcquireRequest.of(LimitRequest.of(policy, "k"));
  }

  private void giveUp(Failover failover, Policy policy) {
    store.breakDown();
    for (int i = 0; i < SETTINGS.failures(); i++) {
      failover.peek(one(policy));
    }
  }

  private void recover(Failover failover, Policy policy) {
    nowMicros += 5_000_000;
    failover.peek(one(policy));
  }

  private static int granted(Failover failover, Policy policy, int attempts) {
    int granted = 0;
    for (int i = 0; i < attempts; i++) {
      granted += failover.take(policy, "k", 1) ? 1 : 0;
    }
    return granted;
  }

  @Test
  void aLimiterTellsItsObserverWhoDecided() {
    Failover failover = failover();
    List<AcquireResult.Mode> modes = new ArrayList<>();
    LimitObserver watching =
        new LimitObserver() {
          @Override
          public void decided(Policy policy, Outcome outcome, AcquireResult.Mode mode) {
            modes.add(mode);
          }
        };
    Policy policy = policy(TEN, OnStoreFailure.LOCAL);
    try (Limiter limiter = Limiter.on(failover).observedBy(watching)) {
      assertThat(limiter.acquire(policy, "k").remaining()).isEqualTo(9);
      giveUp(failover, policy);
      assertThat(limiter.acquire(policy, "k").remaining()).isEqualTo(4);
    }
    assertThat(modes).containsExactly(AcquireResult.Mode.STORE, AcquireResult.Mode.LOCAL);
  }

  @Test
  void closedRefusesAndSaysWhenToComeAgain() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.CLOSED);
    giveUp(failover, policy);
    AcquireResult answer = failover.decide(one(policy));
    assertThat(answer.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
    assertThat(answer.isAllowed()).isFalse();
    assertThat(answer.retryAfter()).isPositive().isLessThanOrEqualTo(SETTINGS.firstPause());
    assertThat(failover.take(policy, "k", 1)).isFalse();
  }

  @Test
  void refusalAfterALostResponseSaysThatItsOutcomeIsUnknown() {
    Failover failover = failover();
    for (OnStoreFailure onFailure : List.of(OnStoreFailure.CLOSED, OnStoreFailure.FALLBACK)) {
      AcquireRequest request =
          AcquireRequest.of(LimitRequest.of(policy(TEN, onFailure), onFailure.name()))
              .withRequestId(onFailure.name());
      store.loseResponses();
      AcquireResult lost = failover.decide(request);
      assertThat(lost.isAllowed()).isFalse();
      assertThat(lost.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
      assertThat(lost.isOutcomeUnknown()).isTrue();
      store.mend();
      AcquireResult repeated = failover.decide(request);
      assertThat(repeated.isReplayed()).isTrue();
      assertThat(repeated.isOutcomeUnknown()).isFalse();
    }
  }

  @Test
  void refusalWithoutACallOfTheStoreHasAKnownOutcome() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.CLOSED);
    store.breakDown();
    assertThat(failover.decide(one(policy)).isOutcomeUnknown()).isFalse();
    store.mend();
    store.loseResponses();
    for (int i = 1; i < SETTINGS.failures(); i++) {
      assertThat(failover.decide(one(policy)).isOutcomeUnknown()).isTrue();
    }
    assertThat(heard).endsWith("redis is OPEN");
    assertThat(failover.decide(one(policy)).isOutcomeUnknown()).isFalse();
  }

  @Test
  void lostResponseOfTheFallbackIsUnknownAsWell() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.FALLBACK);
    giveUp(failover, policy);
    nowMicros += 60_000_000;
    next.loseResponses();
    AcquireResult lost = failover.decide(one(policy));
    assertThat(lost.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
    assertThat(lost.isOutcomeUnknown()).isTrue();
  }

  @Test
  void refusalByTheLocalShareAfterALostResponseIsUnknownAsWell() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.LOCAL);
    AcquireRequest request =
        AcquireRequest.of(new LimitRequest(policy, "k", 6)).withRequestId("id");
    store.loseResponses();
    AcquireResult lost = failover.decide(request);
    assertThat(lost.isAllowed()).isFalse();
    assertThat(lost.mode()).isEqualTo(AcquireResult.Mode.LOCAL);
    assertThat(lost.isOutcomeUnknown()).isTrue();
    store.mend();
    assertThat(failover.decide(request).isReplayed()).isTrue();
  }

  @Test
  void lostResponseOfTheFallbackIsUnknownEvenIfTheStoreWasNotReached() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.FALLBACK);
    store.breakDown();
    for (int i = 1; i < SETTINGS.failures(); i++) {
      failover.decide(one(policy));
    }
    next.loseResponses();
    // Newer than the switch, which this request causes.
    Policy later = policy.createdAt(Micros.instant(nowMicros));
    assertThat(failover.decide(one(later)).isOutcomeUnknown()).isTrue();
    assertThat(heard).contains("redis's fallback: lost");
  }

  @Test
  void openLetsPass() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    giveUp(failover, policy);
    AcquireResult answer = failover.decide(one(policy));
    assertThat(answer.mode()).isEqualTo(AcquireResult.Mode.OPEN);
    assertThat(answer.outcomes()).containsExactly(new Decision.Allowed(9, 0));
    assertThat(granted(failover, policy, 100)).isEqualTo(100);
  }

  @Test
  void localEnforcesTheShareOfThisNode() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.LOCAL);
    giveUp(failover, policy);
    AcquireResult answer = failover.decide(one(policy));
    assertThat(answer.mode()).isEqualTo(AcquireResult.Mode.LOCAL);
    assertThat(answer.decision().remaining()).isEqualTo(4);
    assertThat(granted(failover, policy, 100)).isEqualTo(4);
    AcquireResult tooMuch =
        failover.decide(AcquireRequest.of(new LimitRequest(policy, "other", 6)));
    assertThat(tooMuch.mode()).isEqualTo(AcquireResult.Mode.LOCAL);
    assertThat(tooMuch.isAllowed()).isFalse();
  }

  @Test
  void strictestPolicyOfARequestApplies() {
    Failover failover = failover();
    Policy open = Policy.of("o", TEN).onStoreFailure(OnStoreFailure.OPEN);
    Policy local = Policy.of("l", TEN).onStoreFailure(OnStoreFailure.LOCAL);
    Policy closed = Policy.of("c", TEN).onStoreFailure(OnStoreFailure.CLOSED);
    giveUp(failover, open);
    assertThat(
            failover
                .decide(
                    AcquireRequest.all(
                        List.of(LimitRequest.of(open, "k"), LimitRequest.of(local, "k"))))
                .mode())
        .isEqualTo(AcquireResult.Mode.LOCAL);
    assertThat(
            failover
                .decide(
                    AcquireRequest.all(
                        List.of(LimitRequest.of(open, "k"), LimitRequest.of(closed, "k"))))
                .mode())
        .isEqualTo(AcquireResult.Mode.CLOSED);
  }

  @Test
  void fallbackAdmitsNoMoreThanOneStoreWouldThereAndBack() {
    for (Limit limit :
        List.of(
            TEN,
            FixedWindow.of(10, Duration.ofSeconds(10)),
            FixedWindow.of(10, Duration.ofSeconds(10)).alignedToEpoch(),
            SlidingWindow.of(10, Duration.ofSeconds(5)))) {
      Failover failover = failover();
      Policy policy = Policy.of("at " + nowMicros, limit).onStoreFailure(OnStoreFailure.FALLBACK);
      store.mend();
      assertThat(granted(failover, policy, 100)).isEqualTo(10);
      giveUp(failover, policy);
      assertThat(granted(failover, policy, 100)).isZero();
      assertThat(failover.peek(one(policy)).mode()).isEqualTo(AcquireResult.Mode.CLOSED);
      Duration wait = failover.peek(one(policy)).retryAfter();
      assertThat(wait).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(10));
      nowMicros += wait.toNanos() / 1_000 - 1;
      assertThat(granted(failover, policy, 100)).as("%s, too early", limit).isZero();
      nowMicros++;
      assertThat(failover.peek(one(policy)).mode()).isEqualTo(AcquireResult.Mode.FALLBACK);
      assertThat(granted(failover, policy, 100)).as(limit.toString()).isEqualTo(10);

      store.mendWithoutCounts();
      recover(failover, policy);
      assertThat(granted(failover, policy, 100)).as("%s, back", limit).isZero();
      nowMicros += 10_000_000;
      assertThat(failover.peek(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
      assertThat(granted(failover, policy, 100)).isEqualTo(10);
    }
  }

  @Test
  void fallbackPolicyIsNotGrantedAgainBesideOthersOfOneRequest() {
    for (OnStoreFailure beside : OnStoreFailure.values()) {
      Failover failover = failover();
      String name = beside + " at " + nowMicros;
      Policy policy =
          Policy.of(name, FixedWindow.of(10, MINUTE)).onStoreFailure(OnStoreFailure.FALLBACK);
      Policy other = Policy.of(name + ", beside", TEN).onStoreFailure(beside);
      AcquireRequest both =
          AcquireRequest.all(List.of(LimitRequest.of(policy, "k"), LimitRequest.of(other, "k")));
      giveUp(failover, policy);
      nowMicros += 60_000_000;
      assertThat(granted(failover, policy, 100)).isEqualTo(10);
      store.mend();
      recover(failover, policy);
      AcquireResult refused = failover.decide(both);
      assertThat(refused.isAllowed()).as(name).isFalse();
      assertThat(refused.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
      assertThat(failover.peek(both).isAllowed()).isFalse();
      nowMicros += refused.retryAfter().toNanos() / 1_000;
      assertThat(failover.decide(both).mode()).isEqualTo(AcquireResult.Mode.STORE);
    }
  }

  /** The fallback decides no request with a closed policy. */
  @Test
  void closedPolicyBesideAFallbackPolicyIsNotRefusedForItsOwnWindow() {
    Failover failover = failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    Policy closed = Policy.of("closed", FixedWindow.of(10, Duration.ofDays(1)));
    giveUp(failover, policy);
    nowMicros += 60_000_000;
    assertThat(granted(failover, policy, 1)).isOne();
    store.mend();
    recover(failover, policy);
    AcquireResult refused =
        failover.decide(
            AcquireRequest.all(
                List.of(LimitRequest.of(policy, "k"), LimitRequest.of(closed, "k"))));
    assertThat(refused.retryAfter()).isPositive().isLessThanOrEqualTo(MINUTE);
    assertThat(granted(failover, closed, 100)).isEqualTo(10);
  }

  @Test
  void nothingIsRefusedAfterARecoveryIfTheFallbackWasNotAsked() {
    Failover failover = failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    assertThat(granted(failover, policy, 4)).isEqualTo(4);
    giveUp(failover, policy);
    assertThat(granted(failover, policy, 100)).isZero();
    store.mend();
    nowMicros += 200_000;
    assertThat(granted(failover, policy, 100)).isEqualTo(6);
  }

  /** Looks for a request that does not exist, which is known only if the store answers. */
  private static void recall(Failover failover, AcquireRequest request) {
    try {
      assertThat(failover.recall(request)).isEmpty();
    } catch (StoreException e) {
      assertThat(e.outcome()).isEqualTo(StoreException.Outcome.NONE);
    }
  }

  @Test
  void fallbackServesWhileTheStoreAnswersReadsAndRefusesWrites() {
    Failover failover = failover();
    Policy policy = policy(FixedWindow.of(10, Duration.ofSeconds(2)), OnStoreFailure.FALLBACK);
    Policy other = Policy.of("o", TEN).onStoreFailure(OnStoreFailure.LOCAL);
    assertThat(granted(failover, policy, 4)).isEqualTo(4);
    store.refuseWrites();
    int granted = 0;
    for (int i = 0; i < 1_000; i++) {
      granted += granted(failover, policy, 1);
      // Reads of any rule are no proof.
      failover.peek(one(other));
      recall(failover, one(other).withRequestId("id"));
      nowMicros += 20_000;
    }
    // Nine windows of two seconds, after the one that had begun.
    assertThat(granted).isEqualTo(90);
    assertThat(heard).doesNotContain("redis is CLOSED");
    store.mend();
    recover(failover, policy);
    assertThat(heard).endsWith("redis is CLOSED");
  }

  @Test
  void restartedNodeKnowsThatTheFallbackHasGranted() {
    AtomicLong logged = new AtomicLong(Micros.EARLIEST);
    FallbackLog log =
        new FallbackLog() {
          @Override
          public long usedUntilMicros() {
            return logged.get();
          }

          @Override
          public void uses(long untilMicros) {
            logged.accumulateAndGet(untilMicros, Math::max);
          }
        };
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    Failover failover = builder(store).log(log).build();
    giveUp(failover, policy);
    nowMicros += 60_000_000;
    assertThat(granted(failover, policy, 5)).isEqualTo(5);
    // After the log was first written, and not more than a few seconds ahead.
    nowMicros += 9_000_000;
    assertThat(granted(failover, policy, 100)).isEqualTo(5);
    store.mend();
    Failover restarted = builder(store).log(log).build();
    assertThat(granted(restarted, policy, 100)).isZero();
    nowMicros += 59_999_999;
    assertThat(granted(restarted, policy, 100)).isZero();
    nowMicros += 5_000_001;
    assertThat(granted(restarted, policy, 100)).isEqualTo(10);
  }

  @Test
  void policyThatIsNewerThanTheSwitchIsNotRefusedForIt() {
    Failover failover = failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    giveUp(failover, policy);
    nowMicros += 1;
    Policy later =
        new Policy("later", policy.limit(), policy.onStoreFailure(), Micros.instant(nowMicros));
    assertThat(granted(failover, later, 100)).isEqualTo(10);
    store.mend();
    recover(failover, policy);
    assertThat(granted(failover, policy, 100)).isZero();
    Policy last = later.createdAt(Micros.instant(nowMicros));
    assertThat(failover.decide(AcquireRequest.of(LimitRequest.of(last, "other"))).mode())
        .isEqualTo(AcquireResult.Mode.STORE);
  }

  @Test
  void switchThatIsOverDoesNotBeginAgainWhenALimitChanges() {
    Failover failover = failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    giveUp(failover, policy);
    nowMicros += 60_000_000;
    assertThat(granted(failover, policy, 100)).isEqualTo(10);
    store.mend();
    recover(failover, policy);
    assertThat(granted(failover, policy, 100)).isZero();
    FixedWindow longer = FixedWindow.of(10, Duration.ofDays(1));
    Policy early = policy.changed(longer, Micros.instant(nowMicros + 30_000_000));
    Policy late = policy.changed(longer, Micros.instant(nowMicros + 120_000_000));
    nowMicros += 120_000_000;
    assertThat(granted(failover, early, 100)).as("was not over at the change").isZero();
    assertThat(granted(failover, late, 100)).isEqualTo(10);
  }

  @Test
  void nodesThatDisagreeGrantTheLimitOnceByEachStoreAndNotMore() {
    FragileStore cut = new FragileStore(store);
    Failover far = builder(cut).build();
    Failover near = failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE).alignedToEpoch(), OnStoreFailure.FALLBACK);
    cut.breakDown();
    int[] ofMinute = new int[20];
    long began = nowMicros / 60_000_000;
    for (int second = 0; second < 600; second++) {
      if (second == 300) {
        cut.mend();
      }
      int minute = (int) (nowMicros / 60_000_000 - began);
      ofMinute[minute] += granted(near, policy, 2) + granted(far, policy, 2);
      nowMicros += 1_000_000;
    }
    for (int minute = 0; minute <= 10; minute++) {
      assertThat(ofMinute[minute]).as("minute %d", minute).isLessThanOrEqualTo(20);
    }
    // Before and after they disagree, and not only by chance.
    assertThat(ofMinute[0]).isLessThanOrEqualTo(10);
    assertThat(ofMinute[3]).isEqualTo(20);
    assertThat(ofMinute[8]).isEqualTo(10);
  }

  @Test
  void hiccupDoesNotChangeTheStore() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.FALLBACK);
    assertThat(granted(failover, policy, 4)).isEqualTo(4);
    store.breakDown();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.CLOSED);
    store.mend();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
    assertThat(granted(failover, policy, 100)).isEqualTo(5);
    assertThat(next.calls()).isZero();
  }

  @Test
  void fallbackWithoutASecondStoreIsClosed() {
    Failover failover =
        Failover.of(store).breaker(SETTINGS).clock(() -> Micros.instant(nowMicros)).build();
    Policy policy = policy(TEN, OnStoreFailure.FALLBACK);
    giveUp(failover, policy);
    nowMicros += 60_000_000;
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.CLOSED);
  }

  @Test
  void numberOfNodesIsBounded() {
    assertThatThrownBy(() -> Failover.of(store).nodes(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nodes must be from 1");
  }

  @Test
  void fallbackThatIsGoneAsWellIsClosed() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.FALLBACK);
    giveUp(failover, policy);
    next.breakDown();
    nowMicros += 2_000_000;
    store.breakDown();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.CLOSED);
  }

  @Test
  void storeThatKeepsItsCountsContinuesImmediatelyUnderClosed() {
    Failover failover = failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.CLOSED);
    assertThat(granted(failover, policy, 3)).isEqualTo(3);
    giveUp(failover, policy);
    store.mend();
    recover(failover, policy);
    assertThat(granted(failover, policy, 100)).isEqualTo(7);
  }

  @Test
  void deadStoreIsAskedByOneNowAndThenAndRecoversAutomatically() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    giveUp(failover, policy);
    int calls = store.calls();
    granted(failover, policy, 1_000);
    assertThat(store.calls()).isEqualTo(calls);
    nowMicros += 200_000;
    granted(failover, policy, 1_000);
    assertThat(store.calls()).isEqualTo(calls + 1);
    store.mend();
    nowMicros += 400_000;
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
    assertThat(heard)
        .containsExactly(
            "redis: broken",
            "redis: broken",
            "redis: broken",
            "redis is OPEN",
            "redis is HALF_OPEN",
            "redis: broken",
            "redis is OPEN",
            "redis is HALF_OPEN",
            "redis is CLOSED");
  }

  @Test
  void whatIsNotTheStoresFailureIsThrownAndStillCountsAsOne() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    store.confuse();
    for (int i = 0; i < SETTINGS.failures(); i++) {
      assertThatThrownBy(() -> failover.decide(one(policy))).hasMessage("out of order");
    }
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.OPEN);
  }

  @Test
  void errorOfThisProcessIsNoFailureOfTheStore() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    store.fillHeap();
    for (int i = 0; i < 2 * SETTINGS.failures(); i++) {
      assertThatThrownBy(() -> failover.decide(one(policy))).isInstanceOf(OutOfMemoryError.class);
    }
    assertThat(heard).isEmpty();
    store.mend();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
  }

  @Test
  void errorWhileTheStoreIsTriedAgainLetsAnotherCallerTry() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    giveUp(failover, policy);
    store.mend();
    nowMicros += 200_000;
    store.fillHeap();
    assertThatThrownBy(() -> failover.decide(one(policy))).isInstanceOf(OutOfMemoryError.class);
    store.mend();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
  }

  @Test
  void requestThatWasNotSentIsNeitherASuccessNorAFailure() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    store.breakDown();
    // Between the failures of others, it does not end their row.
    for (int i = 0; i < SETTINGS.failures(); i++) {
      assertNotSent(failover, policy);
      failover.decide(one(policy));
    }
    assertThat(heard).endsWith("redis is OPEN");
    nowMicros += 200_000;
    assertNotSent(failover, policy);
    assertThat(heard).endsWith("redis is OPEN", "redis is HALF_OPEN", "redis is OPEN");
    store.mend();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
  }

  private void assertNotSent(Failover failover, Policy policy) {
    store.reject(true);
    assertThatThrownBy(() -> failover.decide(one(policy)))
        .isInstanceOf(IllegalArgumentException.class);
    store.reject(false);
  }

  @Test
  void refundGoesToWhoGranted() {
    Failover failover = failover();
    Policy local = policy(TEN, OnStoreFailure.LOCAL);
    AcquireRequest request = one(local);
    AcquireResult byStore = failover.decide(request);
    giveUp(failover, local);
    AcquireResult here = failover.decide(request);
    assertThat(here.decision().remaining()).isEqualTo(4);
    failover.refund(request, here);
    assertThat(failover.peek(request).decision().remaining()).isEqualTo(5);
    assertThatThrownBy(() -> failover.refund(request, byStore)).isInstanceOf(StoreException.class);
    store.mend();
    recover(failover, local);
    failover.refund(request, byStore);
    assertThat(failover.peek(request).decision().remaining()).isEqualTo(10);
  }

  @Test
  void throwsWhatOnlyTheStoreKnows() {
    Failover failover = failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    giveUp(failover, policy);
    assertThatThrownBy(() -> failover.usage(policy, "k"))
        .isInstanceOf(StoreException.class)
        .hasMessage("redis is unavailable")
        .extracting("store")
        .isEqualTo("redis");
    assertThatThrownBy(() -> failover.forget(policy, "k")).isInstanceOf(StoreException.class);
  }

  /** A full store continues with the keys that it has, so it is still called. */
  @Test
  void storeThatIsFullIsNotGivenUp() {
    LimitStore small = new MemoryLimitStore(() -> Micros.instant(nowMicros), 1);
    Failover failover =
        Failover.of(small)
            .named("memory")
            .breaker(SETTINGS)
            .observer(observer)
            .clock(() -> Micros.instant(nowMicros))
            .build();
    Policy closed = policy(TEN, OnStoreFailure.CLOSED);
    Policy open = policy(TEN, OnStoreFailure.OPEN);
    assertThat(failover.decide(one(closed)).mode()).isEqualTo(AcquireResult.Mode.STORE);
    for (int i = 0; i < 2 * SETTINGS.failures(); i++) {
      AcquireResult refused = failover.decide(AcquireRequest.of(LimitRequest.of(closed, "new")));
      assertThat(refused.isAllowed()).isFalse();
      assertThat(refused.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
      AcquireResult passed = failover.decide(AcquireRequest.of(LimitRequest.of(open, "new")));
      assertThat(passed.isAllowed()).isTrue();
      assertThat(passed.mode()).isEqualTo(AcquireResult.Mode.OPEN);
    }
    assertThat(failover.decide(one(closed)).mode()).isEqualTo(AcquireResult.Mode.STORE);
    assertThat(heard).isEmpty();
  }
}
