package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Refund;
import dev.weir.limits.RequestBinding;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Claims that a request with a request id is granted once, no matter how often it is sent. */
interface LimitRepetitionClaims extends LimitClaims {
  @Test
  default void repeatedRequestIsReplayedUntilItExpires() {
    forEachPolicy(
        10,
        (scene, policy) -> {
          AcquireRequest request = scene.repeatable(policy, "k", 6);
          AcquireResult first = scene.node.decide(request);
          assertThat(first.isReplayed()).isFalse();

          scene.clock.move(LimitScene.TTL.minusNanos(1_000));
          AcquireResult replayed = first.replayed(scene.clock.instant(), RequestBinding.NO_NOTE);
          assertThat(scene.otherNode.decide(request)).isEqualTo(replayed);
          assertThat(scene.node.decide(request)).isEqualTo(replayed);

          scene.moveMicros(1);
          AcquireResult again = scene.node.decide(request);
          assertThat(again.isReplayed()).isFalse();
          assertThat(again.decidedAt()).isEqualTo(scene.clock.instant());
          assertThat(again.isAllowed()).as("6 more of %s", policy.limit()).isFalse();
        });
  }

  @Test
  default void repeatingDoesNotProlongWhatIsRemembered() {
    forEachPolicy(
        10,
        (scene, policy) -> {
          AcquireRequest request = scene.repeatable(policy, "k", 1);
          scene.node.decide(request);
          scene.clock.move(LimitScene.TTL.dividedBy(2));
          assertThat(scene.node.decide(request).isReplayed()).isTrue();
          scene.clock.move(LimitScene.TTL.dividedBy(2));
          assertThat(scene.node.decide(request).isReplayed()).isFalse();
        });
  }

  @Test
  default void refusalIsNotRemembered() {
    forEachPolicy(
        1,
        (scene, policy) -> {
          scene.decide(policy, "k", 1);
          AcquireRequest request =
              scene.repeatable(
                  "id", AcquireRequest.MAX_TTL, List.of(new LimitRequest(policy, "k", 1)));
          AcquireResult refused = scene.node.decide(request);
          assertThat(refused.isAllowed()).isFalse();
          scene.clock.move(refused.retryAfter());
          AcquireResult granted = scene.node.decide(request);
          assertThat(granted.isAllowed()).isTrue();
          assertThat(granted.isReplayed()).isFalse();
        });
  }

  @Test
  default void peekKnowsNoRequestIds() {
    forEachPolicy(
        1,
        (scene, policy) -> {
          AcquireRequest request = scene.repeatable(policy, "k", 1);
          assertThat(scene.node.peek(request).isAllowed()).isTrue();
          assertThat(scene.node.decide(request).isReplayed()).isFalse();
          AcquireResult after = scene.node.peek(request);
          assertThat(after.isAllowed()).isFalse();
          assertThat(after.isReplayed()).isFalse();
        });
  }

  /** A store that may have recovered is tried by any request, such as one for leases alone. */
  @Test
  default void isTriedByRequestWithoutLimits() {
    LimitScene scene = limitScene();
    AcquireRequest request = scene.repeatable("id", LimitScene.TTL, List.of());
    scene.node.probe(request);
    AcquireResult first = scene.node.decide(request);
    assertThat(first.isAllowed()).isTrue();
    assertThat(first.isReplayed()).isFalse();
    scene.otherNode.probe(request);
    assertThat(scene.otherNode.decide(request).isReplayed()).isTrue();
  }

  @Test
  default void repeatableRequestIsRefundedOnceAndIsNewAfterwards() {
    forEachPolicy(
        10,
        (scene, policy) -> {
          scene.decide(policy, "k", 4);
          AcquireRequest request = scene.repeatable(policy, "k", 3);
          AcquireResult granted = scene.node.decide(request);
          assertThat(scene.otherNode.refund(request, granted.decidedAt()))
              .isEqualTo(Refund.GIVEN_BACK);
          assertThat(scene.node.refund(request, granted.decidedAt())).isEqualTo(Refund.UNKNOWN);
          assertThat(scene.remaining(policy, "k")).isEqualTo(6);

          AcquireResult again = scene.node.decide(request);
          assertThat(again.isReplayed()).isFalse();
          assertThat(scene.remaining(policy, "k")).isEqualTo(3);
        });
  }

  @Test
  default void unknownRequestIdGivesNothingBack() {
    forEachPolicy(
        10,
        (scene, policy) -> {
          AcquireRequest request = scene.repeatable(policy, "k", 3);
          AcquireResult granted = scene.decide(policy, "k", 4);
          scene.node.refund(request, granted.decidedAt());
          assertThat(scene.remaining(policy, "k")).isEqualTo(6);

          AcquireResult known = scene.node.decide(request);
          scene.clock.move(LimitScene.TTL);
          long before = scene.remaining(policy, "k");
          scene.node.refund(request, known.decidedAt());
          assertThat(scene.remaining(policy, "k"))
              .as("after its time: %s", policy.limit())
              .isEqualTo(before);
        });
  }
}
