package dev.weir.limits;

import static dev.weir.limits.FailoverScene.MINUTE;
import static dev.weir.limits.FailoverScene.SETTINGS;
import static dev.weir.limits.FailoverScene.TEN;
import static dev.weir.limits.FailoverScene.granted;
import static dev.weir.limits.FailoverScene.one;
import static dev.weir.limits.FailoverScene.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The second store: what it grants, when, and what that means for the first one. */
final class FallbackTest {
  private final FailoverScene scene = new FailoverScene();

  @Test
  void fallbackAdmitsNoMoreThanOneStoreWouldThereAndBack() {
    for (Limit limit :
        List.of(
            TEN,
            FixedWindow.of(10, Duration.ofSeconds(10)),
            FixedWindow.of(10, Duration.ofSeconds(10)).alignedToEpoch(),
            SlidingWindow.of(10, Duration.ofSeconds(5)))) {
      Failover failover = scene.failover();
      Policy policy =
          Policy.of("at " + scene.nowMicros, limit).onStoreFailure(OnStoreFailure.FALLBACK);
      scene.store.mend();
      assertThat(granted(failover, policy, 100)).isEqualTo(10);
      scene.giveUp(failover, policy);
      assertThat(granted(failover, policy, 100)).isZero();
      assertThat(failover.peek(one(policy)).mode()).isEqualTo(AcquireResult.Mode.CLOSED);
      Duration wait = failover.peek(one(policy)).retryAfter();
      assertThat(wait).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(10));
      scene.nowMicros += wait.toNanos() / 1_000 - 1;
      assertThat(granted(failover, policy, 100)).as("%s, too early", limit).isZero();
      scene.nowMicros++;
      assertThat(failover.peek(one(policy)).mode()).isEqualTo(AcquireResult.Mode.FALLBACK);
      assertThat(granted(failover, policy, 100)).as(limit.toString()).isEqualTo(10);

      scene.store.mendWithoutCounts();
      scene.recover(failover, policy);
      assertThat(granted(failover, policy, 100)).as("%s, back", limit).isZero();
      scene.nowMicros += 10_000_000;
      assertThat(failover.peek(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
      assertThat(granted(failover, policy, 100)).isEqualTo(10);
    }
  }

  @Test
  void fallbackPolicyIsNotGrantedAgainBesideOthersOfOneRequest() {
    for (OnStoreFailure beside : OnStoreFailure.values()) {
      Failover failover = scene.failover();
      String name = beside + " at " + scene.nowMicros;
      Policy policy =
          Policy.of(name, FixedWindow.of(10, MINUTE)).onStoreFailure(OnStoreFailure.FALLBACK);
      Policy other = Policy.of(name + ", beside", TEN).onStoreFailure(beside);
      AcquireRequest both =
          AcquireRequest.all(List.of(LimitRequest.of(policy, "k"), LimitRequest.of(other, "k")));
      scene.giveUp(failover, policy);
      scene.nowMicros += 60_000_000;
      assertThat(granted(failover, policy, 100)).isEqualTo(10);
      scene.store.mend();
      scene.recover(failover, policy);
      AcquireResult refused = failover.decide(both);
      assertThat(refused.isAllowed()).as(name).isFalse();
      assertThat(refused.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
      assertThat(failover.peek(both).isAllowed()).isFalse();
      scene.nowMicros += refused.retryAfter().toNanos() / 1_000;
      assertThat(failover.decide(both).mode()).isEqualTo(AcquireResult.Mode.STORE);
    }
  }

  /** The fallback decides no request with a closed policy. */
  @Test
  void closedPolicyBesideAFallbackPolicyIsNotRefusedForItsOwnWindow() {
    Failover failover = scene.failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    Policy closed = Policy.of("closed", FixedWindow.of(10, Duration.ofDays(1)));
    scene.giveUp(failover, policy);
    scene.nowMicros += 60_000_000;
    assertThat(granted(failover, policy, 1)).isOne();
    scene.store.mend();
    scene.recover(failover, policy);
    AcquireResult refused =
        failover.decide(
            AcquireRequest.all(
                List.of(LimitRequest.of(policy, "k"), LimitRequest.of(closed, "k"))));
    assertThat(refused.retryAfter()).isPositive().isLessThanOrEqualTo(MINUTE);
    assertThat(granted(failover, closed, 100)).isEqualTo(10);
  }

  @Test
  void nothingIsRefusedAfterARecoveryIfTheFallbackWasNotAsked() {
    Failover failover = scene.failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    assertThat(granted(failover, policy, 4)).isEqualTo(4);
    scene.giveUp(failover, policy);
    assertThat(granted(failover, policy, 100)).isZero();
    scene.store.mend();
    scene.nowMicros += 200_000;
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
    Failover failover = scene.failover();
    Policy policy = policy(FixedWindow.of(10, Duration.ofSeconds(2)), OnStoreFailure.FALLBACK);
    Policy other = Policy.of("o", TEN).onStoreFailure(OnStoreFailure.LOCAL);
    assertThat(granted(failover, policy, 4)).isEqualTo(4);
    scene.store.refuseWrites();
    int granted = 0;
    for (int i = 0; i < 1_000; i++) {
      granted += granted(failover, policy, 1);
      // Reads of any rule are no proof.
      failover.peek(one(other));
      recall(failover, one(other).withRequestId("id"));
      scene.nowMicros += 20_000;
    }
    // Nine windows of two seconds, after the one that had begun.
    assertThat(granted).isEqualTo(90);
    assertThat(scene.events).doesNotContain("redis is CLOSED");
    scene.store.mend();
    scene.recover(failover, policy);
    assertThat(scene.events).endsWith("redis is CLOSED");
  }

  /** Returns the fallback, in front of whose next decision something else happens. */
  private LimitStore slow(AtomicReference<Runnable> meanwhile) {
    return (LimitStore)
        Proxy.newProxyInstance(
            LimitStore.class.getClassLoader(),
            new Class<?>[] {LimitStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("decide")) {
                meanwhile.getAndSet(() -> {}).run();
              }
              return method.invoke(scene.next, arguments);
            });
  }

  @Test
  void grantAtTheEndOfALongCallOfTheFallbackCountsFromThenOn() {
    AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    Failover failover = scene.builder(scene.store).fallback(slow(meanwhile)).build();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    scene.giveUp(failover, policy);
    scene.nowMicros += 60_000_000;
    meanwhile.set(() -> scene.nowMicros += 7_000_000);
    assertThat(failover.take(policy, "k", 10)).isTrue();
    long grantedAt = scene.nowMicros;
    scene.store.mend();
    scene.recover(failover, policy);
    scene.nowMicros = grantedAt + 59_999_999;
    assertThat(granted(failover, policy, 100)).isZero();
    scene.nowMicros++;
    assertThat(granted(failover, policy, 100)).isEqualTo(10);
  }

  @Test
  void logCoversAGrantAtTheEndOfALongCallOfTheFallback() {
    AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    AtomicLong logged = new AtomicLong(Micros.EARLIEST);
    Failover failover =
        scene.builder(scene.store).fallback(slow(meanwhile)).log(log(logged)).build();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    scene.giveUp(failover, policy);
    scene.nowMicros += 60_000_000;
    // Longer than the log is written ahead.
    meanwhile.set(() -> scene.nowMicros += 7_000_000);
    assertThat(failover.take(policy, "k", 10)).isTrue();
    assertThat(logged.get()).isGreaterThan(scene.nowMicros);
  }

  @Test
  void grantOfTheFallbackThatComesAfterTheRecoveryDoesNotStand() {
    AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    LimitStore slow = slow(meanwhile);
    Failover failover = scene.builder(scene.store).fallback(slow).build();
    Policy policy = policy(FixedWindow.of(10, Duration.ofSeconds(1)), OnStoreFailure.FALLBACK);
    scene.giveUp(failover, policy);
    scene.nowMicros += 1_000_000;
    meanwhile.set(
        () -> {
          scene.store.mend();
          scene.recover(failover, policy);
          assertThat(granted(failover, policy, 100)).isEqualTo(10);
        });
    AcquireResult late = failover.decide(one(policy));
    assertThat(late.isAllowed()).isFalse();
    assertThat(late.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
    assertThat(late.isOutcomeUnknown()).isFalse();
    assertThat(scene.next.peek(one(policy)).decision().remaining()).isEqualTo(10);
  }

  private static FallbackLog log(AtomicLong logged) {
    return new FallbackLog() {
      @Override
      public long usedUntilMicros() {
        return logged.get();
      }

      @Override
      public void uses(long untilMicros) {
        logged.accumulateAndGet(untilMicros, Math::max);
      }
    };
  }

  @Test
  void restartedNodeKnowsThatTheFallbackHasGranted() {
    AtomicLong logged = new AtomicLong(Micros.EARLIEST);
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    Failover failover = scene.builder(scene.store).log(log(logged)).build();
    scene.giveUp(failover, policy);
    scene.nowMicros += 60_000_000;
    assertThat(granted(failover, policy, 5)).isEqualTo(5);
    // After the log was first written, and not more than a few seconds ahead.
    scene.nowMicros += 9_000_000;
    assertThat(granted(failover, policy, 100)).isEqualTo(5);
    scene.store.mend();
    Failover restarted = scene.builder(scene.store).log(log(logged)).build();
    assertThat(granted(restarted, policy, 100)).isZero();
    scene.nowMicros += 59_999_999;
    assertThat(granted(restarted, policy, 100)).isZero();
    scene.nowMicros += 5_000_001;
    assertThat(granted(restarted, policy, 100)).isEqualTo(10);
  }

  @Test
  void policyThatIsNewerThanTheSwitchIsNotRefusedForIt() {
    Failover failover = scene.failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    scene.giveUp(failover, policy);
    scene.nowMicros += 1;
    Policy later =
        new Policy(
            "later", policy.limit(), policy.onStoreFailure(), Micros.instant(scene.nowMicros));
    assertThat(granted(failover, later, 100)).isEqualTo(10);
    scene.store.mend();
    scene.recover(failover, policy);
    assertThat(granted(failover, policy, 100)).isZero();
    Policy last = later.createdAt(Micros.instant(scene.nowMicros));
    assertThat(failover.decide(AcquireRequest.of(LimitRequest.of(last, "other"))).mode())
        .isEqualTo(AcquireResult.Mode.STORE);
  }

  @Test
  void switchThatIsOverDoesNotBeginAgainWhenALimitChanges() {
    Failover failover = scene.failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.FALLBACK);
    scene.giveUp(failover, policy);
    scene.nowMicros += 60_000_000;
    assertThat(granted(failover, policy, 100)).isEqualTo(10);
    scene.store.mend();
    scene.recover(failover, policy);
    assertThat(granted(failover, policy, 100)).isZero();
    FixedWindow longer = FixedWindow.of(10, Duration.ofDays(1));
    Policy early = policy.changed(longer, Micros.instant(scene.nowMicros + 30_000_000));
    Policy late = policy.changed(longer, Micros.instant(scene.nowMicros + 120_000_000));
    scene.nowMicros += 120_000_000;
    assertThat(granted(failover, early, 100)).as("was not over at the change").isZero();
    assertThat(granted(failover, late, 100)).isEqualTo(10);
  }

  @Test
  void nodesThatDisagreeGrantTheLimitOnceByEachStoreAndNotMore() {
    FragileStore cut = new FragileStore(scene.store);
    Failover far = scene.builder(cut).build();
    Failover near = scene.failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE).alignedToEpoch(), OnStoreFailure.FALLBACK);
    cut.breakDown();
    int[] ofMinute = new int[20];
    long began = scene.nowMicros / 60_000_000;
    for (int second = 0; second < 600; second++) {
      if (second == 300) {
        cut.mend();
      }
      int minute = (int) (scene.nowMicros / 60_000_000 - began);
      ofMinute[minute] += granted(near, policy, 2) + granted(far, policy, 2);
      scene.nowMicros += 1_000_000;
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
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.FALLBACK);
    assertThat(granted(failover, policy, 4)).isEqualTo(4);
    scene.store.breakDown();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.CLOSED);
    scene.store.mend();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
    assertThat(granted(failover, policy, 100)).isEqualTo(5);
    assertThat(scene.next.calls()).isZero();
  }

  @Test
  void fallbackWithoutASecondStoreIsClosed() {
    Failover failover =
        Failover.of(scene.store)
            .breaker(SETTINGS)
            .clock(() -> Micros.instant(scene.nowMicros))
            .build();
    Policy policy = policy(TEN, OnStoreFailure.FALLBACK);
    scene.giveUp(failover, policy);
    scene.nowMicros += 60_000_000;
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.CLOSED);
  }

  @Test
  void fallbackThatIsGoneAsWellIsClosed() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.FALLBACK);
    scene.giveUp(failover, policy);
    scene.next.breakDown();
    scene.nowMicros += 2_000_000;
    scene.store.breakDown();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.CLOSED);
  }
}
