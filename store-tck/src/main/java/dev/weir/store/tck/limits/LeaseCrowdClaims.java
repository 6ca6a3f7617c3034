package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Concurrency;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.Queue;
import dev.weir.store.tck.internal.Crowd;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims about concurrent callers: a limit is never exceeded. */
interface LeaseCrowdClaims extends LeaseClaims {
  int HOLDERS = 64;

  @Test
  default void asManyHoldAsMay() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    Concurrency seven = Concurrency.of(7, Duration.ofSeconds(30));
    List<LeaseDecision> decisions =
        Crowd.concurrently(
            HOLDERS, caller -> scene.node(caller).acquire(resource, seven, "l" + caller, 1));
    assertThat(decisions.stream().filter(LeaseDecision.Held.class::isInstance))
        .extracting(LeaseDecision::current)
        .containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6, 7);
    assertThat(scene.node.current(resource)).isEqualTo(7);
  }

  @Test
  default void placesOfACrowdAddUp() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    Concurrency fifty = Concurrency.of(50, Duration.ofSeconds(30));
    List<Integer> held =
        Crowd.concurrently(
            HOLDERS,
            caller -> {
              int places = 1 + new Random(caller).nextInt(5);
              String id = "l" + caller;
              if (!(scene.node(caller).acquire(resource, fifty, id, places)
                  instanceof LeaseDecision.Held)) {
                return 0;
              }
              if (caller % 3 == 0) {
                assertThat(scene.node(caller + 1).release(resource, id))
                    .isInstanceOf(LeaseDecision.Gone.class);
                return 0;
              }
              assertThat(scene.node(caller + 1).renew(resource, fifty, id))
                  .isInstanceOf(LeaseDecision.Held.class);
              return places;
            });
    int sum = held.stream().mapToInt(Integer::intValue).sum();
    assertThat(sum).isLessThanOrEqualTo(50);
    assertThat(scene.node.current(resource)).isEqualTo(sum);
  }

  @Test
  default void oneIdFromConcurrentCallersIsOneLease() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    Concurrency seven = Concurrency.of(7, Duration.ofSeconds(30));
    List<LeaseDecision> decisions =
        Crowd.concurrently(
            HOLDERS, caller -> scene.node(caller).acquire(resource, seven, "same", 2));
    assertThat(decisions.stream().distinct())
        .containsExactly(
            new LeaseDecision.Held(new Lease("same", 2, scene.nowMicros() + 30_000_000), 2));
  }

  @Test
  default void placesOfTheDeadGoToAsManyOthers() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    Concurrency seven = Concurrency.of(7, Duration.ofSeconds(30));
    for (int i = 0; i < 7; i++) {
      scene.node.acquire(resource, seven, "dead" + i, 1);
    }
    scene.moveMicros(30_000_000);
    List<LeaseDecision> decisions =
        Crowd.concurrently(
            HOLDERS, caller -> scene.node(caller).acquire(resource, seven, "l" + caller, 1));
    assertThat(decisions.stream().filter(LeaseDecision.Held.class::isInstance)).hasSize(7);
  }

  @Test
  default void nobodyIsToldToWaitLongerThanTheFirstLeaseLasts() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("r");
    Concurrency seven = Concurrency.of(7, Duration.ofMillis(50));
    List<Long> waits =
        Crowd.concurrently(
            HOLDERS,
            caller -> {
              long longest = 0;
              for (int round = 0; round < 5; round++) {
                String id = "l" + caller + "/" + round;
                LeaseDecision decision = scene.node(caller).acquire(resource, seven, id, 1);
                if (decision instanceof LeaseDecision.Full full) {
                  longest = Math.max(longest, full.retryAfterMicros());
                } else if (caller % 3 > 0 || round > 0) {
                  scene.node(caller + 1).release(resource, id);
                }
              }
              return longest;
            });
    assertThat(waits).allMatch(wait -> wait <= 50_000);

    scene.moveMicros(50_000);
    Concurrency longer = Concurrency.of(7, Duration.ofSeconds(30));
    assertThat(scene.node.acquire(resource, longer, "long", 5).isGranted()).isTrue();
    assertThat(scene.node.acquire(resource, seven, "first", 1).isGranted()).isTrue();
    scene.moveMicros(20_000);
    assertThat(scene.node.acquire(resource, seven, "second", 1).isGranted()).isTrue();
    // Those who ask by the longer time to live wait for the same lease.
    for (Concurrency limit : List.of(seven, longer)) {
      assertThat(scene.otherNode.acquire(resource, limit, "late", 1))
          .isEqualTo(new LeaseDecision.Full(7, 30_000));
      assertThat(scene.otherNode.acquire(resource, limit, "late", 2))
          .isEqualTo(new LeaseDecision.Full(7, 50_000));
    }
    scene.node.release(resource, "first");
    scene.node.acquire(resource, seven, "third", 1);
    assertThat(scene.otherNode.acquire(resource, seven, "late", 1))
        .isEqualTo(new LeaseDecision.Full(7, 50_000));
  }

  @Test
  default void queueIsNeverLongerThanItMayBeAndPositionsAreDistinct() {
    LeaseScene scene = leaseScene();
    String resource = scene.resource("q");
    Queue queue = Queue.of(20, Duration.ofMillis(100));
    List<LeaseDecision> decisions =
        Crowd.concurrently(
            HOLDERS, caller -> scene.node(caller).join(resource, queue, "t" + caller));
    List<LeaseDecision> waiting =
        decisions.stream().filter(LeaseDecision.Held.class::isInstance).toList();
    assertThat(waiting)
        .extracting(LeaseDecision::current)
        .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, 20).boxed().toList());
    assertThat(waiting)
        .allSatisfy(
            decision ->
                assertThat(LeaseScene.lease(decision).expiresAtMicros())
                    .isEqualTo(scene.nowMicros() + decision.current() * 100_000L));
    assertThat(decisions.stream().filter(LeaseDecision.Full.class::isInstance))
        .hasSize(HOLDERS - 20)
        .containsOnly(new LeaseDecision.Full(20, 100_000));
  }
}
