package dev.weir.limits;

import static dev.weir.limits.FailoverScene.MINUTE;
import static dev.weir.limits.FailoverScene.SETTINGS;
import static dev.weir.limits.FailoverScene.TEN;
import static dev.weir.limits.FailoverScene.granted;
import static dev.weir.limits.FailoverScene.one;
import static dev.weir.limits.FailoverScene.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a policy decides while its store is unavailable, and where a refund goes. */
final class FailoverTest {
  private final FailoverScene scene = new FailoverScene();

  @Test
  void aLimiterTellsItsObserverWhoDecided() {
    Failover failover = scene.failover();
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
      scene.giveUp(failover, policy);
      assertThat(limiter.acquire(policy, "k").remaining()).isEqualTo(4);
    }
    assertThat(modes).containsExactly(AcquireResult.Mode.STORE, AcquireResult.Mode.LOCAL);
  }

  @Test
  void closedRefusesAndSaysWhenToComeAgain() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.CLOSED);
    scene.giveUp(failover, policy);
    AcquireResult answer = failover.decide(one(policy));
    assertThat(answer.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
    assertThat(answer.isAllowed()).isFalse();
    assertThat(answer.retryAfter()).isPositive().isLessThanOrEqualTo(SETTINGS.firstPause());
    assertThat(failover.take(policy, "k", 1)).isFalse();
  }

  @Test
  void openLetsPass() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    scene.giveUp(failover, policy);
    AcquireResult answer = failover.decide(one(policy));
    assertThat(answer.mode()).isEqualTo(AcquireResult.Mode.OPEN);
    assertThat(answer.outcomes()).containsExactly(new Decision.Allowed(9, 0));
    assertThat(granted(failover, policy, 100)).isEqualTo(100);
  }

  @Test
  void localEnforcesTheShareOfThisNode() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.LOCAL);
    scene.giveUp(failover, policy);
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
    Failover failover = scene.failover();
    Policy open = Policy.of("o", TEN).onStoreFailure(OnStoreFailure.OPEN);
    Policy local = Policy.of("l", TEN).onStoreFailure(OnStoreFailure.LOCAL);
    Policy closed = Policy.of("c", TEN).onStoreFailure(OnStoreFailure.CLOSED);
    scene.giveUp(failover, open);
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
  void numberOfNodesIsBounded() {
    assertThatThrownBy(() -> Failover.of(scene.store).nodes(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nodes must be from 1");
  }

  @Test
  void storeThatKeepsItsCountsContinuesImmediatelyUnderClosed() {
    Failover failover = scene.failover();
    Policy policy = policy(FixedWindow.of(10, MINUTE), OnStoreFailure.CLOSED);
    assertThat(granted(failover, policy, 3)).isEqualTo(3);
    scene.giveUp(failover, policy);
    scene.store.mend();
    scene.recover(failover, policy);
    assertThat(granted(failover, policy, 100)).isEqualTo(7);
  }

  @Test
  void refundGoesToWhoGranted() {
    Failover failover = scene.failover();
    Policy local = policy(TEN, OnStoreFailure.LOCAL);
    AcquireRequest request = one(local);
    AcquireResult byStore = failover.decide(request);
    scene.giveUp(failover, local);
    AcquireResult here = failover.decide(request);
    assertThat(here.decision().remaining()).isEqualTo(4);
    failover.refund(request, here);
    assertThat(failover.peek(request).decision().remaining()).isEqualTo(5);
    assertThatThrownBy(() -> failover.refund(request, byStore)).isInstanceOf(StoreException.class);
    scene.store.mend();
    scene.recover(failover, local);
    failover.refund(request, byStore);
    assertThat(failover.peek(request).decision().remaining()).isEqualTo(10);
  }

  @Test
  void throwsWhatOnlyTheStoreKnows() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.OPEN);
    scene.giveUp(failover, policy);
    assertThatThrownBy(() -> failover.usage(policy, "k"))
        .isInstanceOf(StoreException.class)
        .hasMessage("redis is unavailable")
        .extracting("store")
        .isEqualTo("redis");
    assertThatThrownBy(() -> failover.forget(policy, "k")).isInstanceOf(StoreException.class);
  }
}
