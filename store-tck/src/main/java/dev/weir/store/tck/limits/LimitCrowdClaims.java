package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.Usage;
import dev.weir.store.tck.internal.Crowd;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Claims about concurrent callers: no permit is granted twice, and none is lost. */
interface LimitCrowdClaims extends LimitClaims {
  int CALLERS = 64;

  @Test
  default void lastPermitHasOneTaker() {
    forEachPolicy(
        1,
        (scene, policy) -> {
          List<Boolean> taken =
              Crowd.concurrently(CALLERS, caller -> scene.node(caller).take(policy, "k", 1));
          assertThat(taken).as(policy.limit().toString()).containsOnlyOnce(true);
        });
  }

  @Test
  default void everyPermitIsGivenOnce() {
    forEachPolicy(
        40,
        (scene, policy) -> {
          List<Decision> decisions =
              Crowd.concurrently(CALLERS, caller -> scene.node(caller).decide(policy, "k", 1));
          assertThat(decisions.stream().filter(Decision::isAllowed).map(Decision::remaining))
              .as(policy.limit().toString())
              .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 40).boxed().toList());
        });
  }

  @Test
  default void lastPermitOfSeveralScopesHasOneTaker() {
    forEachKind(
        1,
        limit -> {
          LimitScene scene = limitScene();
          Policy user = scene.policy("user", limit);
          Policy all = scene.policy("all", limit);
          List<Boolean> taken =
              Crowd.concurrently(
                  CALLERS,
                  caller ->
                      scene
                          .node(caller)
                          .decide(
                              AcquireRequest.all(
                                  List.of(
                                      new LimitRequest(user, "u" + caller, 1),
                                      new LimitRequest(all, "k", 1))))
                          .isAllowed());
          assertThat(taken).containsOnlyOnce(true);
          for (int caller = 0; caller < CALLERS; caller++) {
            assertThat(scene.usage(user, "u" + caller).equals(Usage.NONE))
                .as("nothing is taken from user %d", caller)
                .isNotEqualTo(taken.get(caller));
          }
        });
  }

  /** In any order of scopes, so that two callers may each hold what the other waits for. */
  @Test
  default void crowdTakesFromAllOrFromNone() {
    forEachPolicy(
        50,
        (scene, policy) -> {
          List<List<Long>> taken =
              Crowd.concurrently(
                  CALLERS,
                  caller -> {
                    Random random = new Random(caller);
                    List<LimitRequest> limitRequests =
                        random
                            .ints(0, 4)
                            .distinct()
                            .limit(1 + random.nextInt(3))
                            .mapToObj(
                                key -> new LimitRequest(policy, "k" + key, 1 + random.nextInt(4)))
                            .toList();
                    boolean allowed =
                        scene.node(caller).decide(AcquireRequest.all(limitRequests)).isAllowed();
                    return LongStream.range(0, 4)
                        .map(
                            key ->
                                limitRequests.stream()
                                    .filter(
                                        limitRequest ->
                                            allowed && limitRequest.key().equals("k" + key))
                                    .mapToLong(LimitRequest::cost)
                                    .sum())
                        .boxed()
                        .toList();
                  });
          for (int i = 0; i < 4; i++) {
            int key = i;
            long sum = taken.stream().mapToLong(costs -> costs.get(key)).sum();
            assertThat(scene.remaining(policy, "k" + key))
                .isEqualTo(policy.limit().maxCost() - sum);
          }
        });
  }

  @Test
  default void requestIdFromConcurrentCallersTakesOnce() {
    forEachPolicy(
        CALLERS,
        (scene, policy) -> {
          AcquireRequest request =
              scene.repeatable(
                  "id", AcquireRequest.DEFAULT_TTL, List.of(new LimitRequest(policy, "k", 1)));
          List<AcquireResult> results =
              Crowd.concurrently(CALLERS, caller -> scene.node(caller).decide(request));
          assertThat(results.stream().filter(result -> !result.isReplayed())).hasSize(1);
          assertThat(results).allMatch(AcquireResult::isAllowed);
          assertThat(results.stream().map(AcquireResult::outcomes).distinct()).hasSize(1);
          assertThat(scene.remaining(policy, "k")).isEqualTo(CALLERS - 1);
        });
  }

  @Test
  default void requestIdIsRefundedOnceByConcurrentCallers() {
    forEachPolicy(
        CALLERS,
        (scene, policy) -> {
          scene.decide(policy, "k", CALLERS - 1);
          AcquireRequest request =
              scene.repeatable(
                  "id", AcquireRequest.DEFAULT_TTL, List.of(new LimitRequest(policy, "k", 1)));
          Instant grantedAt = scene.node.decide(request).decidedAt();
          List<Boolean> done =
              Crowd.concurrently(
                  CALLERS,
                  caller -> {
                    scene.node(caller).refund(request, grantedAt);
                    return true;
                  });
          assertThat(done).hasSize(CALLERS);
          assertThat(scene.remaining(policy, "k")).isEqualTo(1);
        });
  }

  @Test
  default void concurrentTakesAndRefundsAddUp() {
    forEachPolicy(
        20,
        (scene, policy) -> {
          List<Long> kept =
              Crowd.concurrently(
                  CALLERS,
                  caller -> {
                    AcquireRequest request = scene.request(policy, "k", 1 + caller % 3);
                    AcquireResult result = scene.node(caller).decide(request);
                    if (!result.isAllowed()) {
                      return 0L;
                    }
                    if (caller % 4 < 2) {
                      return 1L + caller % 3;
                    }
                    scene.node(caller).refund(request, result.decidedAt());
                    return 0L;
                  });
          assertThat(scene.remaining(policy, "k"))
              .isEqualTo(20 - kept.stream().mapToLong(Long::longValue).sum());
        });
  }
}
