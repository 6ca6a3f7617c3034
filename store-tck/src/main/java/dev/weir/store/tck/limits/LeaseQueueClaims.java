package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.Queue;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Claims about waiting in a queue. */
interface LeaseQueueClaims extends LeaseClaims {
  Queue TWO_EACH_500_MS = Queue.of(2, Duration.ofMillis(500));

  @Test
  default void eachWaitsAStepLongerUntilTheQueueIsFull() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("q");
    long now = scene.nowMicros();
    assertThat(scene.node.join(resource, TWO_EACH_500_MS, "a"))
        .isEqualTo(new LeaseDecision.Held(new Lease("a", 1, now + 500_000), 1));
    assertThat(scene.otherNode.join(resource, TWO_EACH_500_MS, "b"))
        .isEqualTo(new LeaseDecision.Held(new Lease("b", 1, now + 1_000_000), 2));
    assertThat(scene.node.join(resource, TWO_EACH_500_MS, "c"))
        .isEqualTo(new LeaseDecision.Full(2, 500_000));
  }

  @Test
  default void placeIsGivenBackWhenTheWaitIsOverAndNotBefore() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("q");
    scene.node.join(resource, TWO_EACH_500_MS, "a");
    scene.node.join(resource, TWO_EACH_500_MS, "b");
    scene.moveMicros(499_999);
    assertThat(scene.node.join(resource, TWO_EACH_500_MS, "c"))
        .isEqualTo(new LeaseDecision.Full(2, 1));
    scene.moveMicros(1);
    assertThat(scene.node.join(resource, TWO_EACH_500_MS, "c"))
        .isEqualTo(new LeaseDecision.Held(new Lease("c", 1, scene.nowMicros() + 1_000_000), 2));
  }

  @Test
  default void leavingTheQueueFreesThePlace() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("q");
    scene.node.join(resource, TWO_EACH_500_MS, "a");
    scene.node.join(resource, TWO_EACH_500_MS, "b");
    assertThat(scene.otherNode.release(resource, "a")).isEqualTo(new LeaseDecision.Gone(1));
    assertThat(scene.node.join(resource, TWO_EACH_500_MS, "c"))
        .isInstanceOf(LeaseDecision.Held.class);
    assertThat(scene.node.join(resource, TWO_EACH_500_MS, "d"))
        .isInstanceOf(LeaseDecision.Full.class);
  }

  @Test
  default void sameTicketHasTheSamePlace() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("q");
    Lease first = LeaseScene.lease(scene.node.join(resource, TWO_EACH_500_MS, "a"));
    scene.moveMicros(100);
    assertThat(LeaseScene.lease(scene.otherNode.join(resource, TWO_EACH_500_MS, "a")))
        .isEqualTo(first);
    assertThat(scene.node.current(resource)).isEqualTo(1);
  }
}
