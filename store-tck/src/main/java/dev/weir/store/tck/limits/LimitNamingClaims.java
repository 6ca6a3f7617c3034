package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.Policy;
import dev.weir.store.tck.NastyNames;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Names, keys and ids are only told apart, never understood. */
interface LimitNamingClaims extends LimitClaims {
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
  default void allOfThemFitIntoOneDemand() {
    forEachKind(
        3,
        limit -> {
          LimitScene scene = limitScene();
          List<LimitRequest> asks = new ArrayList<>();
          for (String name : NastyNames.ALL) {
            String cut = name.substring(Math.max(0, name.length() - 200));
            asks.add(new LimitRequest(scene.policy(cut, limit), name, 2));
          }
          assertThat(scene.node.decide(AcquireRequest.all(asks)).isAllowed()).isTrue();
          assertThat(scene.node.decide(AcquireRequest.all(asks)).outcomes())
              .noneMatch(decision -> decision.isAllowed());
        });
  }

  /** However name and key are joined, one of these pairs would meet. */
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
            AcquireRequest demand =
                scene.repeatable(
                    id, AcquireRequest.DEFAULT_TTL, List.of(new LimitRequest(policy, "k", 1)));
            AcquireResult first = scene.node.decide(demand);
            assertThat(first.isReplayed()).as(name).isFalse();
            assertThat(first.isAllowed()).as(name).isTrue();
            assertThat(scene.node.decide(demand).isReplayed()).as(name).isTrue();
          }
        });
  }

  @Test
  default void requestIdIsNoKey() {
    forEachKind(
        2,
        limit -> {
          LimitScene scene = limitScene();
          Policy policy = scene.policy("p", limit);
          AcquireRequest demand =
              scene.repeatable(
                  "p",
                  AcquireRequest.DEFAULT_TTL,
                  List.of(new LimitRequest(policy, scene.requestId("p"), 1)));
          assertThat(scene.node.decide(demand).isAllowed()).isTrue();
          assertThat(scene.remaining(policy, scene.requestId("p"))).isEqualTo(1);
          assertThat(scene.node.decide(demand).isReplayed()).isTrue();
        });
  }
}
