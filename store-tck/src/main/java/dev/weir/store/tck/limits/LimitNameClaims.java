package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.store.tck.internal.NastyNames;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Claims that names, keys and ids are opaque: they are compared, never interpreted. */
interface LimitNameClaims extends LimitClaims {
  @Test
  default void keysThatLookAlikeAreTwoKeys() {
    forEachKind(
        NastyNames.ALL.size(),
        limit -> {
          LimitScene scene = limitScene();
          Policy policy = scene.policy("p", limit);
          for (int i = 0; i < NastyNames.ALL.size(); i++) {
            assertThat(scene.node.take(policy, NastyNames.ALL.get(i), i + 1L)).isTrue();
          }
          for (int i = 0; i < NastyNames.ALL.size(); i++) {
            assertThat(scene.remaining(policy, NastyNames.ALL.get(i)))
                .as(NastyNames.ALL.get(i))
                .isEqualTo(limit.maxCost() - i - 1);
          }
        });
  }

  @Test
  default void allOfThemFitIntoOneRequest() {
    forEachKind(
        3,
        limit -> {
          LimitScene scene = limitScene();
          List<LimitRequest> limitRequests = new ArrayList<>();
          for (String name : NastyNames.ALL) {
            String cut = name.substring(Math.max(0, name.length() - 200));
            limitRequests.add(new LimitRequest(scene.policy(cut, limit), name, 2));
          }
          assertThat(scene.node.decide(AcquireRequest.all(limitRequests)).isAllowed()).isTrue();
          assertThat(scene.node.decide(AcquireRequest.all(limitRequests)).outcomes())
              .noneMatch(decision -> decision.isAllowed());
        });
  }

  /** For any separator between name and key, two of these pairs would collide. */
  @Test
  default void borderBetweenPolicyAndKeyIsClear() {
    forEachKind(
        1,
        limit -> {
          for (String between :
              List.of(":", "/", "|", "{", "}", "}:{", "\u0001", "\n", " ", "%", ",")) {
            LimitScene scene = limitScene();
            assertThat(scene.node.take(scene.policy("a", limit), "b" + between + "c", 1)).isTrue();
            assertThat(scene.node.take(scene.policy("a" + between + "b", limit), "c", 1))
                .as("joined by '%s'", between)
                .isTrue();
          }
        });
  }

  @Test
  default void requestIdsThatLookAlikeAreTwoIds() {
    forEachKind(
        NastyNames.ALL.size(),
        limit -> {
          LimitScene scene = limitScene();
          Policy policy = scene.policy("p", limit);
          for (String name : NastyNames.ALL) {
            String id = name.substring(Math.max(0, name.length() - 200));
            AcquireRequest request =
                scene.repeatable(
                    id, AcquireRequest.DEFAULT_TTL, List.of(new LimitRequest(policy, "k", 1)));
            AcquireResult first = scene.node.decide(request);
            assertThat(first.isReplayed()).as(name).isFalse();
            assertThat(first.isAllowed()).as(name).isTrue();
            assertThat(scene.node.decide(request).isReplayed()).as(name).isTrue();
          }
        });
  }

  @Test
  default void requestIdIsNoKey() {
    forEachPolicy(
        2,
        (scene, policy) -> {
          AcquireRequest request =
              scene.repeatable(
                  "p",
                  AcquireRequest.DEFAULT_TTL,
                  List.of(new LimitRequest(policy, scene.requestId("p"), 1)));
          assertThat(scene.node.decide(request).isAllowed()).isTrue();
          assertThat(scene.remaining(policy, scene.requestId("p"))).isEqualTo(1);
          assertThat(scene.node.decide(request).isReplayed()).isTrue();
        });
  }
}
