package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.Concurrency;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.store.tck.internal.NastyNames;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Claims about acquiring, renewing, releasing and expiring leases. */
interface LeaseHolderClaims extends LeaseClaims {
  Concurrency TWO_FOR_30_S = Concurrency.of(2, Duration.ofSeconds(30));

  @Test
  default void deadHolderGivesItsPlaceBackInTimeAndNotBefore() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    scene.node.acquire(resource, TWO_FOR_30_S, "a", 1);
    scene.moveMicros(5);
    scene.node.acquire(resource, TWO_FOR_30_S, "b", 1);
    LeaseDecision full = scene.otherNode.acquire(resource, TWO_FOR_30_S, "c", 1);
    assertThat(full).isEqualTo(new LeaseDecision.Full(2, 29_999_995));

    scene.moveMicros(29_999_994);
    assertThat(scene.node.current(resource)).isEqualTo(2);
    assertThat(scene.node.acquire(resource, TWO_FOR_30_S, "c", 1))
        .isEqualTo(new LeaseDecision.Full(2, 1));
    scene.moveMicros(1);
    assertThat(scene.node.current(resource)).isEqualTo(1);
    assertThat(scene.node.acquire(resource, TWO_FOR_30_S, "c", 1))
        .isEqualTo(new LeaseDecision.Held(new Lease("c", 1, scene.nowMicros() + 30_000_000), 2));
    assertThat(scene.node.renew(resource, TWO_FOR_30_S, "a")).isEqualTo(new LeaseDecision.Gone(2));
  }

  @Test
  default void renewedLeaseLastsAnotherTime() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    scene.node.acquire(resource, TWO_FOR_30_S, "a", 2);
    scene.moveMicros(29_999_999);
    Lease renewed = LeaseScene.lease(scene.otherNode.renew(resource, TWO_FOR_30_S, "a"));
    assertThat(renewed).isEqualTo(new Lease("a", 2, scene.nowMicros() + 30_000_000));
    scene.moveMicros(29_999_999);
    assertThat(scene.node.current(resource)).isEqualTo(2);
    scene.moveMicros(1);
    assertThat(scene.node.renew(resource, TWO_FOR_30_S, "a")).isEqualTo(new LeaseDecision.Gone(0));
  }

  @Test
  default void sameIdHasTheSameLease() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    Lease first = LeaseScene.lease(scene.node.acquire(resource, TWO_FOR_30_S, "a", 1));
    scene.moveMicros(1_000_000);
    assertThat(scene.otherNode.acquire(resource, TWO_FOR_30_S, "a", 2))
        .isEqualTo(new LeaseDecision.Held(first, 1));
    assertThat(scene.node.current(resource)).isEqualTo(1);
  }

  @Test
  default void releasingTwiceIsHarmless() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    scene.node.acquire(resource, TWO_FOR_30_S, "a", 1);
    scene.node.acquire(resource, TWO_FOR_30_S, "b", 1);
    assertThat(scene.otherNode.release(resource, "a")).isEqualTo(new LeaseDecision.Gone(1));
    assertThat(scene.node.release(resource, "a")).isEqualTo(new LeaseDecision.Gone(1));
    assertThat(scene.node.release(scene.resource("never used"), "a"))
        .isEqualTo(new LeaseDecision.Gone(0));
    assertThat(scene.node.current(resource)).isEqualTo(1);
  }

  @Test
  default void leaseReleasedAfterADelayIsHeldUntilThen() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    Duration second = Duration.ofSeconds(1);
    scene.node.acquire(resource, TWO_FOR_30_S, "a", 2);
    scene.moveMicros(200_000);
    Lease shortened = LeaseScene.lease(scene.otherNode.releaseAfter(resource, "a", second));
    assertThat(shortened).isEqualTo(new Lease("a", 2, scene.nowMicros() + 1_000_000));
    assertThat(scene.node.acquire(resource, TWO_FOR_30_S, "b", 1))
        .isEqualTo(new LeaseDecision.Full(2, 1_000_000));

    scene.moveMicros(999_999);
    assertThat(scene.node.releaseAfter(resource, "a", second))
        .as("repeating it does not prolong the lease")
        .isEqualTo(new LeaseDecision.Held(shortened, 2));
    assertThat(scene.node.current(resource)).isEqualTo(2);
    scene.moveMicros(1);
    assertThat(scene.node.current(resource)).isZero();
    assertThat(scene.node.releaseAfter(resource, "a", second)).isEqualTo(new LeaseDecision.Gone(0));
    assertThat(scene.node.releaseAfter(scene.resource("never used"), "a", second))
        .isEqualTo(new LeaseDecision.Gone(0));
  }

  @Test
  default void changedLimitEndsNoLease() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    Concurrency five = Concurrency.of(5, Duration.ofSeconds(30));
    for (int i = 0; i < 5; i++) {
      scene.node.acquire(resource, five, "l" + i, 1);
      scene.moveMicros(1);
    }
    assertThat(scene.node.acquire(resource, TWO_FOR_30_S, "x", 1))
        .as("four of five have to end")
        .isEqualTo(new LeaseDecision.Full(5, 30_000_000 - 2));
    scene.node.release(resource, "l0");
    scene.node.release(resource, "l1");
    scene.node.release(resource, "l2");
    assertThat(scene.node.acquire(resource, TWO_FOR_30_S, "x", 1))
        .isInstanceOf(LeaseDecision.Full.class);
    assertThat(scene.node.acquire(resource, five, "x", 3)).isInstanceOf(LeaseDecision.Held.class);
  }

  @Test
  default void clockThatStepsBackEndsAndShortensNoLease() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    Lease first = LeaseScene.lease(scene.node.acquire(resource, TWO_FOR_30_S, "a", 2));
    scene.moveMicros(-3_600_000_000L);
    assertThat(scene.node.current(resource)).isEqualTo(2);
    assertThat(scene.node.renew(resource, TWO_FOR_30_S, "a"))
        .isEqualTo(new LeaseDecision.Held(first, 2));
  }

  @Test
  default void forgettingEndsAllLeasesOfOneResource() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    String other = scene.resource("s");
    scene.node.acquire(resource, TWO_FOR_30_S, "a", 1);
    scene.node.acquire(resource, TWO_FOR_30_S, "b", 1);
    scene.node.acquire(other, TWO_FOR_30_S, "a", 1);
    scene.otherNode.forget(resource);
    scene.otherNode.forget(scene.resource("never used"));
    assertThat(scene.node.current(resource)).isZero();
    assertThat(scene.node.current(other)).isEqualTo(1);
    assertThat(scene.node.renew(resource, TWO_FOR_30_S, "a")).isEqualTo(new LeaseDecision.Gone(0));
  }

  @Test
  default void morePlacesThanTheLimitCannotBeRequested() {
    LeaseScene scene = leaseScene();
    assertThatThrownBy(() -> scene.node.acquire(scene.resource("r"), TWO_FOR_30_S, "a", 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("places")
        .hasMessageContaining("3");
    assertThat(scene.node.current(scene.resource("r"))).isZero();
  }

  @Test
  default void namesThatLookAlikeAreTold() {
    LeaseScene scene = leaseScene();
    Concurrency all = Concurrency.of(1_000, Duration.ofSeconds(30));
    int number = 0;
    for (String name : NastyNames.ALL) {
      number++;
      String cut = name.substring(Math.max(0, name.length() - 200));
      scene.node.acquire(scene.resource(cut), all, "a", number);
      assertThat(LeaseScene.lease(scene.node.acquire(scene.resource("ids"), all, name, 1)).id())
          .isEqualTo(name);
      assertThat(scene.node.current(scene.resource("ids"))).as(name).isEqualTo(number);
      assertThat(scene.node.current(scene.resource(cut))).as(name).isEqualTo(number);
    }
  }
}
