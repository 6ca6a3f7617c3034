package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.LimitStore;
import dev.weir.limits.Usage;
import org.junit.jupiter.api.Test;

/** The claim of limit stores that forget idle usages, and that can be made to do so. */
public interface IdleUsageClaims extends LimitChangeClaims {
  @Override
  default void afterSomeTime(LimitStore store) {
    forgetIdle(store);
  }

  /** Runs the store's periodic removal of usages that are idle by its clock. */
  void forgetIdle(LimitStore store);

  @Test
  default void idleKeyVanishesInTime() {
    forEachPolicy(
        10,
        (scene, policy) -> {
          scene.decide(policy, "k", 4);
          Usage used = scene.usage(policy, "k");
          long idleMicros = policy.limit().idleMicros(used, scene.nowMicros());

          scene.moveMicros(idleMicros - 1);
          forgetIdle(scene.node);
          assertThat(scene.usage(policy, "k")).as("not yet: %s", policy.limit()).isEqualTo(used);

          // A store may expire its keys with a coarser unit than microseconds.
          scene.moveMicros(1_000);
          forgetIdle(scene.node);
          assertThat(scene.usage(policy, "k")).as("now: %s", policy.limit()).isEqualTo(Usage.NONE);
          assertThat(scene.remaining(policy, "k")).isEqualTo(10);
        });
  }

  @Test
  default void keyThatIsGivenBackWhollyVanishes() {
    forEachPolicy(
        10,
        (scene, policy) -> {
          scene.node.refund(
              scene.request(policy, "k", 4), scene.decide(policy, "k", 4).decidedAt());
          scene.moveMicros(1_000);
          forgetIdle(scene.node);
          assertThat(scene.usage(policy, "k")).isEqualTo(Usage.NONE);
        });
  }
}
