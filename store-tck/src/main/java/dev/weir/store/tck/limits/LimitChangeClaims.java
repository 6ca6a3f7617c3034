package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import dev.weir.engine.limits.Policy;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Claims that a limit keeps its usage when its numbers change between two calls. */
interface LimitChangeClaims extends LimitClaims {
  @Test
  default void changedLimitKeepsWhatWasUsed() {
    kinds()
        .forEach(
            kind -> {
              LimitScene scene = limitScene();
              scene.decide(scene.policy("p", aMinuteOf(100, kind)), "k", 80);
              Policy raised = scene.policy("p", aMinuteOf(200, kind));
              assertThat(scene.remaining(raised, "k")).isEqualTo(120);
              Policy lowered = scene.policy("p", aMinuteOf(50, kind));
              assertThat(scene.remaining(lowered, "k")).isZero();
              assertThat(scene.decide(lowered, "k", 1).isAllowed()).isFalse();
              assertThat(scene.decide(raised, "k", 120).isAllowed()).isTrue();
              assertThat(scene.decide(raised, "k", 1).isAllowed()).isFalse();
            });
  }

  @Test
  default void kindsOfLimitAreCountedApart() {
    Optional<Class<? extends Limit>> another = kinds().stream().skip(1).findFirst();
    another.ifPresent(
        second -> {
          LimitScene scene = limitScene();
          Policy policy = scene.policy("p", aMinuteOf(10, kinds().getFirst()));
          Policy changed = scene.policy("p", aMinuteOf(10, second));
          scene.decide(policy, "k", 4);
          assertThat(scene.usage(changed, "k")).isEqualTo(Usage.NONE);
          scene.decide(changed, "k", 7);
          assertThat(scene.remaining(policy, "k")).isEqualTo(6);
          scene.node.forget(changed, "k");
          assertThat(scene.remaining(changed, "k")).isEqualTo(10);
          assertThat(scene.remaining(policy, "k")).isEqualTo(6);
        });
  }
}
