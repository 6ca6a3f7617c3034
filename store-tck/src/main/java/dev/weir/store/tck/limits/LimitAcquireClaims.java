package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.Usage;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims about taking, refusing, peeking, refunding and forgetting. */
interface LimitAcquireClaims extends LimitClaims {
  @Test
  default void refusesWhatIsSpentAndSaysHowLong() {
    forEachPolicy(
        3,
        (scene, policy) -> {
          assertThat(scene.node.take(policy, "k", 2)).isTrue();
          assertThat(scene.node.take(policy, "k", 2)).isFalse();
          assertThat(scene.node.take(policy, "k", 1)).isTrue();

          AcquireResult refused = scene.decide(policy, "k", 1);
          assertThat(refused.isAllowed()).isFalse();
          assertThat(refused.mode()).isEqualTo(AcquireResult.Mode.STORE);
          assertThat(refused.decidedAt()).isEqualTo(scene.clock.instant());

          scene.clock.move(refused.retryAfter().minusNanos(1_000));
          assertThat(scene.node.take(policy, "k", 1))
              .as("a moment early: %s", policy.limit())
              .isFalse();
          scene.moveMicros(1);
          assertThat(scene.node.take(policy, "k", 1)).as("in time: %s", policy.limit()).isTrue();
        });
  }

  @Test
  default void looksWithoutTaking() {
    forEachPolicy(
        3,
        (scene, policy) -> {
          assertThat(scene.peek(policy, "k", 3)).isEqualTo(new Decision.Allowed(3, 0));
          assertThat(scene.usage(policy, "k")).isEqualTo(Usage.NONE);
          scene.decide(policy, "k", 1);
          Usage before = scene.usage(policy, "k");
          assertThat(scene.peek(policy, "k", 3)).isInstanceOf(Decision.Refused.class);
          assertThat(scene.usage(policy, "k")).isEqualTo(before);
        });
  }

  @Test
  default void refusalWritesNothing() {
    forEachPolicy(
        2,
        (scene, policy) -> {
          scene.decide(policy, "k", 1);
          Usage before = scene.usage(policy, "k");
          scene.moveMicros(7);
          assertThat(scene.decide(policy, "k", 2).isAllowed()).isFalse();
          assertThat(scene.usage(policy, "k")).isEqualTo(before);
        });
  }

  @Test
  default void takesFromAllOrFromNone() {
    forEachKind(
        2,
        limit -> {
          LimitScene scene = limitScene();
          Policy user = scene.policy("user", limit);
          Policy all = scene.policy("all", limit);
          scene.decide(all, "k", 1);
          AcquireResult refused =
              scene.node.decide(
                  AcquireRequest.all(
                      List.of(new LimitRequest(user, "k", 1), new LimitRequest(all, "k", 2))));
          assertThat(refused.isAllowed()).isFalse();
          assertThat(refused.outcomes().getFirst()).isEqualTo(new Decision.Allowed(2, 0));
          assertThat(refused.outcomes().getLast()).isInstanceOf(Decision.Refused.class);
          assertThat(scene.usage(user, "k")).isEqualTo(Usage.NONE);

          AcquireResult granted =
              scene.node.decide(
                  AcquireRequest.all(
                      List.of(new LimitRequest(user, "k", 2), new LimitRequest(all, "k", 1))));
          assertThat(granted.isAllowed()).isTrue();
          assertThat(scene.remaining(user, "k")).isZero();
          assertThat(scene.remaining(all, "k")).isZero();
        });
  }

  @Test
  default void manyLimitsAreOneStep() {
    forEachKind(
        2,
        limit -> {
          LimitScene scene = limitScene();
          List<LimitRequest> limitRequests =
              IntStream.range(0, AcquireRequest.MAX_PARTS)
                  .mapToObj(
                      i -> new LimitRequest(scene.policy("p" + i % 5, limit), "k" + i, 1 + i % 2))
                  .toList();
          assertThat(scene.node.decide(AcquireRequest.all(limitRequests)).isAllowed()).isTrue();
          AcquireResult second = scene.node.decide(AcquireRequest.all(limitRequests));
          assertThat(second.outcomes().stream().map(Outcome::isAllowed))
              .containsExactlyElementsOf(
                  limitRequests.stream().map(limitRequest -> limitRequest.cost() == 1).toList());
          for (LimitRequest limitRequest : limitRequests) {
            assertThat(scene.remaining(limitRequest.policy(), limitRequest.key()))
                .isEqualTo(2 - limitRequest.cost());
          }
        });
  }

  @Test
  default void givesBackWhatWasTaken() {
    forEachPolicy(
        3,
        (scene, policy) -> {
          scene.decide(policy, "k", 1);
          AcquireResult granted = scene.decide(policy, "k", 2);
          scene.node.refund(scene.request(policy, "k", 2), granted.decidedAt());
          assertThat(scene.remaining(policy, "k")).isEqualTo(2);
          assertThat(scene.peek(policy, "other", 3).isAllowed()).isTrue();
        });
  }

  @Test
  default void neverGivesBackMoreThanAll() {
    forEachPolicy(
        3,
        (scene, policy) -> {
          AcquireResult granted = scene.decide(policy, "k", 1);
          scene.node.refund(scene.request(policy, "k", 3), granted.decidedAt());
          scene.node.refund(scene.request(policy, "k", 3), granted.decidedAt());
          scene.node.refund(scene.request(policy, "never used", 3), granted.decidedAt());
          assertThat(scene.remaining(policy, "k")).isEqualTo(3);
          assertThat(scene.remaining(policy, "never used")).isEqualTo(3);
        });
  }

  @Test
  default void forgetsOneKeyOfOnePolicy() {
    forEachPolicy(
        3,
        (scene, policy) -> {
          Policy other = scene.policy("q", policy.limit());
          scene.decide(policy, "k", 3);
          scene.decide(policy, "l", 3);
          scene.decide(other, "k", 3);
          scene.otherNode.forget(policy, "k");
          scene.otherNode.forget(policy, "never used");
          assertThat(scene.usage(policy, "k")).isEqualTo(Usage.NONE);
          assertThat(scene.remaining(policy, "k")).isEqualTo(3);
          assertThat(scene.remaining(policy, "l")).isZero();
          assertThat(scene.remaining(other, "k")).isZero();
        });
  }

  @Test
  default void clockThatStepsBackAdmitsNothingMore() {
    forEachPolicy(
        2,
        (scene, policy) -> {
          scene.decide(policy, "k", 2);
          scene.clock.move(Duration.ofSeconds(-59));
          assertThat(scene.decide(policy, "k", 1).isAllowed()).isFalse();
          scene.clock.move(Duration.ofSeconds(59));
          assertThat(scene.decide(policy, "k", 1).isAllowed()).isFalse();
          scene.clock.move(MINUTE.multipliedBy(2));
          assertThat(scene.decide(policy, "k", 2).isAllowed()).isTrue();
        });
  }
}
