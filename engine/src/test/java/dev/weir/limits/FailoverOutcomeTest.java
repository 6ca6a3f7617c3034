package dev.weir.limits;

import static dev.weir.limits.FailoverScene.SETTINGS;
import static dev.weir.limits.FailoverScene.TEN;
import static dev.weir.limits.FailoverScene.one;
import static dev.weir.limits.FailoverScene.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whether a refusal says that its request may have been counted. */
final class FailoverOutcomeTest {
  private final FailoverScene scene = new FailoverScene();

  @Test
  void refusalAfterALostResponseSaysThatItsOutcomeIsUnknown() {
    Failover failover = scene.failover();
    for (OnStoreFailure onFailure : List.of(OnStoreFailure.CLOSED, OnStoreFailure.FALLBACK)) {
      AcquireRequest request =
          AcquireRequest.of(LimitRequest.of(policy(TEN, onFailure), onFailure.name()))
              .withRequestId(onFailure.name());
      scene.store.loseResponses();
      AcquireResult lost = failover.decide(request);
      assertThat(lost.isAllowed()).isFalse();
      assertThat(lost.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
      assertThat(lost.isOutcomeUnknown()).isTrue();
      scene.store.mend();
      AcquireResult repeated = failover.decide(request);
      assertThat(repeated.isReplayed()).isTrue();
      assertThat(repeated.isOutcomeUnknown()).isFalse();
    }
  }

  @Test
  void refusalWithoutACallOfTheStoreHasAKnownOutcome() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.CLOSED);
    scene.store.breakDown();
    assertThat(failover.decide(one(policy)).isOutcomeUnknown()).isFalse();
    scene.store.mend();
    scene.store.loseResponses();
    for (int i = 1; i < SETTINGS.failures(); i++) {
      assertThat(failover.decide(one(policy)).isOutcomeUnknown()).isTrue();
    }
    assertThat(scene.events).endsWith("redis is OPEN");
    assertThat(failover.decide(one(policy)).isOutcomeUnknown()).isFalse();
  }

  @Test
  void lostResponseOfTheFallbackIsUnknownAsWell() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.FALLBACK);
    scene.giveUp(failover, policy);
    scene.nowMicros += 60_000_000;
    scene.next.loseResponses();
    AcquireResult lost = failover.decide(one(policy));
    assertThat(lost.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
    assertThat(lost.isOutcomeUnknown()).isTrue();
  }

  @Test
  void refusalByTheLocalShareAfterALostResponseIsUnknownAsWell() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.LOCAL);
    AcquireRequest request =
        AcquireRequest.of(new LimitRequest(policy, "k", 6)).withRequestId("id");
    scene.store.loseResponses();
    AcquireResult lost = failover.decide(request);
    assertThat(lost.isAllowed()).isFalse();
    assertThat(lost.mode()).isEqualTo(AcquireResult.Mode.LOCAL);
    assertThat(lost.isOutcomeUnknown()).isTrue();
    scene.store.mend();
    assertThat(failover.decide(request).isReplayed()).isTrue();
  }

  @Test
  void lostResponseOfTheFallbackIsUnknownEvenIfTheStoreWasNotReached() {
    Failover failover = scene.failover();
    Policy policy = policy(TEN, OnStoreFailure.FALLBACK);
    scene.store.breakDown();
    for (int i = 1; i < SETTINGS.failures(); i++) {
      failover.decide(one(policy));
    }
    scene.next.loseResponses();
    // Newer than the switch, which this request causes.
    Policy later = policy.createdAt(Micros.instant(scene.nowMicros));
    assertThat(failover.decide(one(later)).isOutcomeUnknown()).isTrue();
    assertThat(scene.events).contains("redis's fallback: lost");
  }
}
