package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.RequestBinding;
import dev.weir.store.tck.internal.Crowd;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims that a request id is bound to one request and remembers its whole result. */
interface LimitBindingClaims extends LimitClaims {
  Delayed WAIT = new Delayed(0, 20, 1_500_000, 3);
  int AT_ONCE = 24;

  @Test
  default void idOfAnotherRequestIsRefusedAndTakesNothing() {
    forEachKind(
        10,
        limit -> {
          LimitScene scene = limitScene();
          Policy p = scene.policy("p", limit);
          Policy q = scene.policy("q", limit);
          List<LimitRequest> limitRequests =
              List.of(new LimitRequest(p, "k", 2), new LimitRequest(q, "k", 3));
          AcquireRequest request = scene.repeatable("id", LimitScene.TTL, limitRequests);
          AcquireResult first = scene.node.decide(request);
          List<List<LimitRequest>> others =
              List.of(
                  List.of(new LimitRequest(q, "k", 3), new LimitRequest(p, "k", 2)),
                  List.of(new LimitRequest(p, "k", 2), new LimitRequest(q, "k", 2)),
                  List.of(new LimitRequest(p, "l", 2), new LimitRequest(q, "l", 3)),
                  List.of(new LimitRequest(p, "k", 2)),
                  List.of(new LimitRequest(q, "k", 3)),
                  List.of(
                      new LimitRequest(p, "k", 2),
                      new LimitRequest(q, "k", 3),
                      new LimitRequest(p, "l", 1)));
          for (List<LimitRequest> other : others) {
            AcquireRequest reused = scene.repeatable("id", LimitScene.TTL, other);
            AcquireResult result = scene.otherNode.decide(reused);
            assertThat(result).isEqualTo(AcquireResult.reused(scene.clock.instant()));
            assertThat(result.isAllowed()).isFalse();
            assertThat(scene.node.recall(reused)).contains(result);
            assertThat(scene.node.refund(reused, first.decidedAt())).isEqualTo(Refund.REUSED);
          }
          assertThat(scene.remaining(p, "k")).isEqualTo(8);
          assertThat(scene.remaining(q, "k")).isEqualTo(7);
          assertThat(scene.remaining(p, "l")).isEqualTo(10);
          assertThat(scene.remaining(q, "l")).isEqualTo(10);
          assertThat(scene.node.decide(request).isReplayed()).isTrue();
        });
  }

  @Test
  default void refusedRequestLeavesItsIdToOthers() {
    forEachPolicy(
        2,
        (scene, policy) -> {
          scene.decide(policy, "k", 2);
          AcquireRequest refused = scene.repeatable(policy, "k", 1);
          assertThat(scene.node.decide(refused).isReused()).isFalse();
          AcquireRequest other = scene.repeatable(policy, "l", 1);
          assertThat(scene.otherNode.decide(other).isAllowed()).isTrue();
          assertThat(scene.node.decide(refused).isReused()).isTrue();
        });
  }

  @Test
  default void whatIsWaitedForIsRememberedAndTakesNothing() {
    forEachKind(
        10,
        limit -> {
          LimitScene scene = limitScene();
          Policy p = scene.policy("p", limit);
          Policy q = scene.policy("q", limit);
          AcquireRequest request =
              waiting(
                  scene.repeatable(
                      "id",
                      LimitScene.TTL,
                      List.of(new LimitRequest(p, "k", 2), new LimitRequest(q, "k", 3))),
                  Map.of(0, WAIT));
          AcquireResult first = scene.node.decide(request);
          assertThat(first.isAllowed()).isTrue();
          assertThat(first.outcomes().getFirst()).isEqualTo(WAIT);
          assertThat(first.outcomes().getLast()).isInstanceOf(Decision.Allowed.class);
          assertThat(scene.remaining(p, "k")).isEqualTo(10);
          assertThat(scene.remaining(q, "k")).isEqualTo(7);

          // The caller that repeats it does not know which limits were waited for.
          AcquireRequest repeated = waiting(request, Map.of());
          scene.moveMicros(1_000_000);
          assertThat(scene.otherNode.decide(repeated))
              .isEqualTo(first.replayed(scene.clock.instant(), RequestBinding.NO_NOTE));
          scene.decide(p, "k", 4);
          assertThat(scene.otherNode.refund(repeated, scene.clock.instant()))
              .isEqualTo(Refund.GIVEN_BACK);
          assertThat(scene.remaining(p, "k")).isEqualTo(6);
          assertThat(scene.remaining(q, "k")).isEqualTo(10);
        });
  }

  @Test
  default void requestThatOnlyWaitsIsRemembered() {
    forEachPolicy(
        1,
        (scene, policy) -> {
          AcquireRequest plain = scene.repeatable(policy, "k", 1);
          scene.decide(policy, "k", 1);
          AcquireResult first = scene.node.decide(waiting(plain, Map.of(0, WAIT)));
          assertThat(first.outcomes()).containsExactly(WAIT);
          assertThat(scene.otherNode.decide(plain))
              .isEqualTo(first.replayed(scene.clock.instant(), RequestBinding.NO_NOTE));
          assertThat(scene.node.refund(plain, first.decidedAt())).isEqualTo(Refund.GIVEN_BACK);
          assertThat(scene.remaining(policy, "k")).isZero();
        });
  }

  @Test
  default void requestWithoutLimitsIsRememberedWithItsNote() {
    LimitScene scene = limitScene();
    UUID note = UUID.randomUUID();
    AcquireRequest request = bare(scene, note);
    assertThat(scene.node.recall(request)).isEmpty();
    AcquireResult first = scene.node.decide(request);
    assertThat(first.isAllowed()).isTrue();
    assertThat(first.isReplayed()).isFalse();
    scene.moveMicros(3);
    AcquireResult again = first.replayed(scene.clock.instant(), note);
    AcquireRequest repeated = bare(scene, UUID.randomUUID());
    assertThat(scene.otherNode.decide(repeated)).isEqualTo(again);
    assertThat(scene.otherNode.recall(repeated)).contains(again);
    assertThat(scene.otherNode.refund(repeated, first.decidedAt())).isEqualTo(Refund.GIVEN_BACK);
    assertThat(scene.node.recall(repeated)).isEmpty();
  }

  @Test
  default void recallTakesAndRemembersNothing() {
    forEachPolicy(
        10,
        (scene, policy) -> {
          AcquireRequest request = scene.repeatable(policy, "k", 1);
          assertThat(scene.node.recall(request)).isEmpty();
          assertThat(scene.remaining(policy, "k")).isEqualTo(10);
          AcquireResult first = scene.node.decide(request);
          assertThat(first.isReplayed()).isFalse();
          assertThat(scene.otherNode.recall(request))
              .contains(first.replayed(scene.clock.instant(), RequestBinding.NO_NOTE));
          scene.clock.move(LimitScene.TTL);
          assertThat(scene.otherNode.recall(request)).isEmpty();
        });
  }

  /** A refund returns what was granted at that time, regardless of the costs in the refund. */
  @Test
  default void refundGoesByTheTimeOfTheGrant() {
    forEachPolicy(
        10,
        (scene, policy) -> {
          AcquireRequest request =
              scene.repeatable(
                  "id", AcquireRequest.MAX_TTL, List.of(new LimitRequest(policy, "k", 4)));
          scene.node.decide(request);
          scene.clock.move(MINUTE.multipliedBy(3));
          scene.decide(policy, "k", 5);
          assertThat(scene.node.refund(request, scene.clock.instant()))
              .isEqualTo(Refund.GIVEN_BACK);
          assertThat(scene.remaining(policy, "k")).isEqualTo(5);
        });
  }

  @Test
  default void ofDifferentConcurrentRequestsWithOneIdOneIsGranted() {
    forEachPolicy(
        AT_ONCE,
        (scene, policy) -> {
          List<AcquireResult> results =
              Crowd.concurrently(
                  AT_ONCE,
                  caller ->
                      scene
                          .node(caller)
                          .decide(
                              scene.repeatable(
                                  "id",
                                  LimitScene.TTL,
                                  List.of(
                                      new LimitRequest(
                                          policy, "k" + caller % 3, 1 + caller / 3 % 2)))));
          assertThat(results.stream().filter(result -> result.isAllowed() && !result.isReplayed()))
              .hasSize(1);
          assertThat(results.stream().filter(AcquireResult::isReused)).isNotEmpty();
          long taken =
              IntStream.range(0, 3)
                  .mapToLong(key -> policy.limit().maxCost() - scene.remaining(policy, "k" + key))
                  .sum();
          assertThat(taken).isBetween(1L, 2L);
        });
  }

  /** In any order of arrival, the usage in the end is what the id remembers. */
  @Test
  default void concurrentTakesAndRefundsOfOneIdAddUp() {
    forEachKind(
        10,
        limit -> {
          LimitScene scene = limitScene();
          Policy p = scene.policy("p", limit);
          Policy q = scene.policy("q", limit);
          AcquireRequest plain =
              scene.repeatable(
                  "id",
                  LimitScene.TTL,
                  List.of(new LimitRequest(p, "k", 1), new LimitRequest(q, "k", 2)));
          Instant now = scene.clock.instant();
          List<Boolean> done =
              Crowd.concurrently(
                  AT_ONCE,
                  caller ->
                      switch (caller / 2 % 4) {
                        case 0 -> scene.node(caller).decide(plain).isAllowed();
                        case 1 ->
                            scene.node(caller).decide(waiting(plain, Map.of(1, WAIT))).isAllowed();
                        case 2 -> scene.node(caller).refund(plain, now) != Refund.REUSED;
                        default -> scene.node(caller).peek(plain).isAllowed();
                      });
          assertThat(done).containsOnly(true);
          List<Outcome> left =
              scene.node.recall(plain).map(AcquireResult::outcomes).orElse(List.of());
          assertThat(scene.remaining(p, "k")).isEqualTo(left.isEmpty() ? 10 : 9);
          assertThat(scene.remaining(q, "k"))
              .isEqualTo(left.isEmpty() || left.getLast() instanceof Delayed ? 10 : 8);
        });
  }

  private AcquireRequest bare(LimitScene scene, UUID note) {
    Policy policy = scene.policy("p", aMinuteOf(1, kinds().getFirst()));
    RequestBinding binding = scene.repeatable(policy, "k", 1).binding();
    return new AcquireRequest(
        List.of(),
        Map.of(),
        new RequestBinding(binding.id(), binding.ttl(), binding.digest(), note));
  }

  private static AcquireRequest waiting(AcquireRequest request, Map<Integer, Delayed> delays) {
    return new AcquireRequest(request.parts(), delays, request.binding());
  }
}
