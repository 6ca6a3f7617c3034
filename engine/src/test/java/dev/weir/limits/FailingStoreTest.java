package dev.weir.limits;

import static dev.weir.limits.FailoverScene.SETTINGS;
import static dev.weir.limits.FailoverScene.TEN;
import static dev.weir.limits.FailoverScene.granted;
import static dev.weir.limits.FailoverScene.one;
import static dev.weir.limits.FailoverScene.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Micros;
import dev.weir.limits.memory.MemoryLimitStore;
import org.junit.jupiter.api.Test;

/** What counts as a failure of a store, and when it is called again. */
final class FailingStoreTest {
  private final FailoverScene scene = new FailoverScene();

  @Test
  void deadStoreIsAskedByOneNowAndThenAndRecoversAutomatically() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    scene.giveUp(failover, policy);
    int calls = scene.store.calls();
    granted(failover, policy, 1_000);
    assertThat(scene.store.calls()).isEqualTo(calls);
    scene.nowMicros += 200_000;
    granted(failover, policy, 1_000);
    assertThat(scene.store.calls()).isEqualTo(calls + 1);
    scene.store.mend();
    scene.nowMicros += 400_000;
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
    assertThat(scene.events)
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
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    scene.store.confuse();
    for (int i = 0; i < SETTINGS.failures(); i++) {
      assertThatThrownBy(() -> failover.decide(one(policy))).hasMessage("out of order");
    }
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.OPEN);
  }

  @Test
  void errorOfThisProcessIsNoFailureOfTheStore() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    scene.store.fillHeap();
    for (int i = 0; i < 2 * SETTINGS.failures(); i++) {
      assertThatThrownBy(() -> failover.decide(one(policy))).isInstanceOf(OutOfMemoryError.class);
    }
    assertThat(scene.events).isEmpty();
    scene.store.mend();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
  }

  @Test
  void errorWhileTheStoreIsTriedAgainLetsAnotherCallerTry() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    scene.giveUp(failover, policy);
    scene.store.mend();
    scene.nowMicros += 200_000;
    scene.store.fillHeap();
    assertThatThrownBy(() -> failover.decide(one(policy))).isInstanceOf(OutOfMemoryError.class);
    scene.store.mend();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
  }

  @Test
  void requestThatWasNotSentIsNeitherASuccessNorAFailure() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    scene.store.breakDown();
    // Between the failures of others, it does not end their row.
    for (int i = 0; i < SETTINGS.failures(); i++) {
      assertNotSent(failover, policy);
      failover.decide(one(policy));
    }
    assertThat(scene.events).endsWith("redis is OPEN");
    scene.nowMicros += 200_000;
    assertNotSent(failover, policy);
    assertThat(scene.events).endsWith("redis is OPEN", "redis is HALF_OPEN", "redis is OPEN");
    scene.store.mend();
    assertThat(failover.decide(one(policy)).mode()).isEqualTo(AcquireResult.Mode.STORE);
  }

  private void assertNotSent(Failover failover, Policy policy) {
    scene.store.reject(true);
    assertThatThrownBy(() -> failover.decide(one(policy)))
        .isInstanceOf(IllegalArgumentException.class);
    scene.store.reject(false);
  }

  /** A full store continues with the keys that it has, so it is still called. */
  @Test
  void storeThatIsFullIsNotGivenUp() {
    LimitStore small = new MemoryLimitStore(() -> Micros.instant(scene.nowMicros), 1);
    Failover failover =
        Failover.of(small)
            .named("memory")
            .breaker(SETTINGS)
            .observer(scene.observer)
            .clock(() -> Micros.instant(scene.nowMicros))
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
    assertThat(scene.events).isEmpty();
  }
}
