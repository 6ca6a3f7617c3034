package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claims that a limit keeps its usage when its numbers change between two calls. */
interface LimitChangeClaims extends LimitClaims {
  /** No text of one code point sorts behind it. */
  String LAST_CODE_POINT = Character.toString(Character.MAX_CODE_POINT);

  /** Lets the store remove what is idle by its clock; by default it does so when it likes. */
  default void afterSomeTime(LimitStore store) {}

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

  /** The recipe of an operator who tightens a limit because of abuse. */
  @Test
  default void tightenedLimitStaysUsedUntilTheNewWindowEnds() {
    forEachChange(
        (scene, change) -> {
          scene.decide(change.before(), "k", 5);
          scene.otherNode.settle(change.after());
          for (int seconds : new int[] {4, 26, 100, 400}) {
            scene.clock.move(Duration.ofSeconds(seconds));
            afterSomeTime(scene.node);
            // A bucket of 5 in 600 s refills a token in 120 s.
            boolean isBucket = change.after().limit() instanceof TokenBucket;
            long refilled = isBucket ? scene.sinceNoonSeconds() / 120 : 0;
            assertThat(scene.remaining(change.after(), "k"))
                .as("%s after %d s", change.after().limit(), scene.sinceNoonSeconds())
                .isEqualTo(refilled);
          }
          scene.clock.move(Duration.ofMinutes(20));
          assertThat(scene.remaining(change.after(), "k")).isEqualTo(5);
        });
  }

  @Test
  default void firstRefusalUnderATightenedLimitKeepsWhatWasUsed() {
    forEachChange(
        (scene, change) -> {
          scene.decide(change.before(), "k", 5);
          assertThat(scene.decide(change.after(), "k", 5).isAllowed()).isFalse();
          scene.clock.move(Duration.ofSeconds(100));
          afterSomeTime(scene.node);
          assertThat(scene.decide(change.after(), "k", 1).isAllowed())
              .as("%s", change.after().limit())
              .isFalse();
        });
  }

  @Test
  default void severalLimitsOfWhichOneWasTightenedKeepWhatWasUsed() {
    forEachChange(
        (scene, change) -> {
          Policy other = scene.policy("other", aMinuteOf(10, kinds().getFirst()));
          scene.decide(change.before(), "k", 5);
          AcquireRequest both =
              AcquireRequest.all(
                  List.of(LimitRequest.of(other, "k"), LimitRequest.of(change.after(), "k")));
          assertThat(scene.node.decide(both).isAllowed()).isFalse();
          scene.clock.move(Duration.ofSeconds(100));
          afterSomeTime(scene.node);
          assertThat(scene.node.decide(both).isAllowed()).isFalse();
          assertThat(scene.remaining(other, "k")).isEqualTo(10);
        });
  }

  @Test
  default void settlingAPolicySettlesAllItsKeysAndNoOthers() {
    List<String> keys =
        Stream.concat(
                IntStream.range(0, 300).mapToObj(i -> "k" + i),
                Stream.of("50% {tag}*[a]?", LAST_CODE_POINT, LAST_CODE_POINT + "k"))
            .toList();
    forEachChange(
        (scene, change) -> {
          Policy same = scene.policy("pp", change.before().limit());
          for (AcquireRequest five : together(change.before(), keys, 5)) {
            assertThat(scene.node.decide(five).isAllowed()).isTrue();
          }
          scene.decide(same, "k1", 5);
          Usage untouched = scene.usage(same, "k1");
          scene.node.settle(change.after());
          assertThat(scene.usage(same, "k1")).isEqualTo(untouched);
          scene.clock.move(Duration.ofMinutes(1));
          afterSomeTime(scene.node);
          for (AcquireRequest one : together(change.after(), keys, 1)) {
            assertThat(scene.node.peek(one).outcomes())
                .extracting(Outcome::remaining)
                .containsOnly(0L);
          }
          assertThat(scene.remaining(same, "k1")).isEqualTo(5);
        });
  }

  /** One request for each key would take a database longer than most other claims together. */
  private static List<AcquireRequest> together(Policy policy, List<String> keys, long cost) {
    List<AcquireRequest> requests = new ArrayList<>();
    for (int from = 0; from < keys.size(); from += AcquireRequest.MAX_PARTS) {
      int until = Math.min(from + AcquireRequest.MAX_PARTS, keys.size());
      requests.add(
          AcquireRequest.all(
              keys.subList(from, until).stream()
                  .map(key -> new LimitRequest(policy, key, cost))
                  .toList()));
    }
    return requests;
  }

  @Test
  default void refundAfterAChangeGivesBackNothingThatWasRestoredBefore() {
    forEachChange(
        (scene, change) -> {
          // Noon is the start of a window of both lengths.
          AcquireRequest over = scene.repeatable("over", MINUTE, part(change.before(), 5));
          assertThat(scene.node.decide(over).isAllowed()).isTrue();
          boolean isSliding = change.before().limit() instanceof SlidingWindow;
          scene.clock.move(Duration.ofSeconds(isSliding ? 9 : 5));
          AcquireRequest last = scene.repeatable("last", MINUTE, part(change.before(), 4));
          assertThat(scene.node.decide(last).isAllowed()).isTrue();
          scene.otherNode.settle(change.after());
          assertThat(scene.remaining(change.after(), "k")).isEqualTo(isSliding ? 0 : 1);

          long remaining = scene.remaining(change.after(), "k");
          AcquireRequest overNow = scene.repeatable("over", MINUTE, part(change.after(), 5));
          assertThat(scene.node.refund(overNow, Instant.EPOCH)).isEqualTo(Refund.GIVEN_BACK);
          assertThat(scene.remaining(change.after(), "k"))
              .as("%s after the refund of what was over", change.after().limit())
              .isEqualTo(remaining);
          AcquireRequest lastNow = scene.repeatable("last", MINUTE, part(change.after(), 4));
          assertThat(scene.otherNode.refund(lastNow, Instant.EPOCH)).isEqualTo(Refund.GIVEN_BACK);
          // How much of it a bucket has refilled is unknown once its rate has changed.
          boolean isBucket = change.before().limit() instanceof TokenBucket;
          assertThat(scene.remaining(change.after(), "k"))
              .as("%s after the refund of what counts", change.after().limit())
              .isEqualTo(remaining + (isBucket ? 0 : 4));
        });
  }

  private static List<LimitRequest> part(Policy policy, long cost) {
    return List.of(new LimitRequest(policy, "k", cost));
  }

  @Test
  default void newRateAppliesFromTheChangeOnAndNotToThePast() {
    if (!kinds().contains(TokenBucket.class)) {
      return;
    }
    LimitScene scene = limitScene();
    Policy slow = scene.policy("p", TokenBucket.perSecond(100, new BigDecimal("0.01")));
    Policy fast = scene.policy("p", TokenBucket.perSecond(100, BigDecimal.TEN));
    scene.decide(slow, "k", 100);
    scene.clock.move(Duration.ofSeconds(5));
    scene.node.settle(fast, "k");
    assertThat(scene.remaining(fast, "k")).isZero();
    scene.clock.move(Duration.ofSeconds(5));
    assertThat(scene.remaining(fast, "k")).isEqualTo(50);
    scene.node.settle(slow, "k");
    scene.clock.move(Duration.ofSeconds(5));
    assertThat(scene.remaining(slow, "k")).isEqualTo(50);
  }

  @Test
  default void clockThatJumpedAheadAndBackRefusesForAtMostTwoWindows() {
    forEachKind(
        5,
        limit -> {
          LimitScene scene = limitScene();
          Policy policy = scene.policy("p", limit);
          scene.clock.move(Duration.ofHours(2));
          scene.decide(policy, "k", 5);
          scene.clock.move(Duration.ofHours(-2));
          AcquireResult refused = scene.decide(policy, "k", 1);
          assertThat(refused.isAllowed()).isFalse();
          assertThat(refused.retryAfter()).isLessThanOrEqualTo(MINUTE.multipliedBy(2));
          scene.clock.move(refused.retryAfter());
          assertThat(scene.decide(policy, "k", 1).isAllowed()).as("%s", limit).isTrue();
        });
  }

  /** A node that has not heard of a change, however often it is asked. */
  @Test
  default void olderVersionDoesNotUndoAChange() {
    forEachVersion(
        (scene, change) -> {
          Policy other = scene.policy("other", aMinuteOf(100, kinds().getFirst()));
          List<LimitRequest> both =
              List.of(LimitRequest.of(other, "k"), LimitRequest.of(change.before(), "k"));
          scene.decide(change.before(), "k", 5);
          scene.node.settle(change.after());
          // In each window of the older version, and beyond; a bucket of 5 in 600 s refills a
          // token in 120 s.
          for (int seconds : new int[] {5, 5, 5, 10, 25, 50}) {
            scene.clock.move(Duration.ofSeconds(seconds));
            afterSomeTime(scene.node);
            String name = "%s after %d s".formatted(change, scene.sinceNoonSeconds());
            assertThat(scene.decide(change.after(), "k", 1).isAllowed()).as(name).isFalse();
            assertThat(scene.decide(change.before(), "k", 1).isAllowed()).as(name).isFalse();
            assertThat(scene.otherNode.take(change.before(), "k", 1)).as(name).isFalse();
            assertThat(scene.remaining(change.before(), "k")).as(name).isZero();
            assertThat(scene.node.decide(AcquireRequest.all(both)).isAllowed()).as(name).isFalse();
            AcquireRequest repeatable = scene.repeatable("older", LimitScene.TTL, both);
            assertThat(scene.node.decide(repeatable).isAllowed()).as(name).isFalse();
            scene.otherNode.settle(change.before());
            scene.otherNode.settle(change.before(), "k");
          }
          assertThat(scene.remaining(other, "k")).isEqualTo(100);
          scene.clock.move(Duration.ofMinutes(20));
          assertThat(scene.remaining(change.after(), "k")).isEqualTo(5);
        });
  }

  @Test
  default void whatAnOlderVersionGrantsCountsByTheLaterOne() {
    forEachVersion(
        (scene, change) -> {
          scene.decide(change.after(), "k", 2);
          scene.decide(change.after(), "l", 2);
          assertThat(scene.otherNode.decide(change.before(), "k", 2).isAllowed()).isTrue();
          assertThat(scene.otherNode.take(change.before(), "k", 1)).isTrue();
          AcquireRequest three = scene.repeatable(change.before(), "l", 3);
          assertThat(scene.otherNode.decide(three).isAllowed()).isTrue();
          scene.clock.move(Duration.ofSeconds(100));
          afterSomeTime(scene.node);
          assertThat(scene.decide(change.after(), "k", 1).isAllowed()).as("%s", change).isFalse();
          assertThat(scene.decide(change.after(), "l", 1).isAllowed()).as("%s", change).isFalse();
        });
  }

  @Test
  default void refundByAnOlderVersionGivesBackOnce() {
    forEachVersion(
        (scene, change) -> {
          Instant takenAt = scene.decide(change.after(), "k", 5).decidedAt();
          AcquireRequest two = scene.request(change.before(), "k", 2);
          assertThat(scene.otherNode.refund(two, takenAt)).isEqualTo(Refund.GIVEN_BACK);
          assertThat(scene.decide(change.after(), "k", 2).isAllowed()).as("%s", change).isTrue();
          scene.clock.move(Duration.ofSeconds(100));
          afterSomeTime(scene.node);
          assertThat(scene.decide(change.after(), "k", 1).isAllowed()).as("%s", change).isFalse();
        });
  }

  /** What a faster rate has refilled before the change, the slower one does not know of. */
  @Test
  default void refundByAnOlderVersionGivesBackNothingThatItsOwnRateHasRefilled() {
    forEachVersion(
        (scene, change) -> {
          AcquireRequest all = scene.repeatable("all", MINUTE, part(change.before(), 5));
          Instant takenAt = scene.node.decide(all).decidedAt();
          // All is restored, also in a sliding window, and taken again.
          scene.clock.move(Duration.ofSeconds(10));
          assertThat(scene.decide(change.before(), "k", 5).isAllowed()).isTrue();
          scene.node.settle(change.after());
          scene.clock.move(Duration.ofSeconds(1));
          assertThat(scene.otherNode.refund(all, takenAt)).isEqualTo(Refund.GIVEN_BACK);
          AcquireRequest withoutId = scene.request(change.before(), "k", 5);
          assertThat(scene.otherNode.refund(withoutId, takenAt)).isEqualTo(Refund.GIVEN_BACK);
          assertThat(scene.remaining(change.after(), "k")).as("%s", change).isZero();
        });
  }

  /** The sweep of a version goes on while the next one has settled everything already. */
  @Test
  default void settlementThatIsOvertakenByTheNextVersionChangesNothing() {
    forEachVersion(
        (scene, change) -> {
          Policy back = change.before().version(3);
          scene.decide(change.before(), "k", 5);
          scene.node.settle(change.after());
          scene.node.settle(back);
          scene.otherNode.settle(change.after());
          scene.otherNode.settle(change.after(), "k");
          // Counts as the third version does, which it does not know.
          assertThat(scene.remaining(change.after(), "k")).isZero();
          scene.clock.move(Duration.ofSeconds(11));
          assertThat(scene.remaining(back, "k")).as("%s", change).isEqualTo(5);
        });
  }

  /** Also if the next version counts as the first one did, so that there is nothing to convert. */
  @Test
  default void settlementByAVersionIsKnownEvenIfItsNumbersAreThoseOfTheUsage() {
    forEachVersion(
        (scene, change) -> {
          scene.decide(change.before(), "k", 5);
          scene.node.settle(change.before().version(3));
          scene.otherNode.settle(change.after());
          scene.clock.move(Duration.ofSeconds(11));
          assertThat(scene.remaining(change.before().version(3), "k"))
              .as("%s", change)
              .isEqualTo(5);
        });
  }

  /** Versions of rules contain the time, and are told apart to the last bit. */
  @Test
  default void highestVersionsAreToldApart() {
    forEachVersion(
        (scene, change) -> {
          Policy older = change.before().version(Integer.MAX_VALUE - 1);
          Policy latest = change.after().version(Integer.MAX_VALUE);
          scene.decide(older, "k", 5);
          scene.node.settle(latest);
          for (int seconds : new int[] {5, 5, 100}) {
            scene.clock.move(Duration.ofSeconds(seconds));
            afterSomeTime(scene.node);
            assertThat(scene.decide(latest, "k", 1).isAllowed()).as("%s", change).isFalse();
            assertThat(scene.decide(older, "k", 1).isAllowed()).as("%s", change).isFalse();
            scene.otherNode.settle(older);
          }
          scene.clock.move(Duration.ofMinutes(20));
          assertThat(scene.decide(latest, "k", 5).isAllowed()).as("%s", change).isTrue();
        });
  }

  /** A policy of a library may be made again, and its versions then begin anew. */
  @Test
  default void versionsOfAFormerPolicyOfTheSameNameAreNotCompared() {
    forEachVersion(
        (scene, change) -> {
          Policy former = change.before().version(7);
          scene.decide(former, "k", 5);
          scene.clock.move(Duration.ofSeconds(1));
          Policy made = change.after().version(1).createdAt(scene.clock.instant());
          assertThat(scene.decide(made, "k", 5).isAllowed()).isFalse();
          scene.clock.move(Duration.ofSeconds(100));
          afterSomeTime(scene.node);
          // A bucket has refilled one by the former rate.
          assertThat(scene.decide(made, "k", 2).isAllowed()).as("%s", change).isFalse();
        });
  }

  @Test
  default void policyWithoutVersionsSettlesWhatVersionsHaveCounted() {
    forEachVersion(
        (scene, change) -> {
          scene.decide(change.before().version(9), "k", 5);
          Policy unordered = change.after().version(Policy.UNORDERED);
          assertThat(scene.decide(unordered, "k", 5).isAllowed()).isFalse();
          scene.clock.move(Duration.ofSeconds(100));
          afterSomeTime(scene.node);
          assertThat(scene.decide(unordered, "k", 1).isAllowed()).as("%s", change).isFalse();
        });
  }

  /** As the software before versions has left it. */
  @Test
  default void usageWithoutAVersionIsSettledByEveryVersion() {
    forEachVersion(
        (scene, change) -> {
          scene.decide(change.before().version(Policy.UNORDERED), "k", 5);
          assertThat(scene.decide(change.after(), "k", 5).isAllowed()).isFalse();
          assertThat(scene.decide(change.before(), "k", 1).isAllowed()).isFalse();
          scene.clock.move(Duration.ofSeconds(100));
          afterSomeTime(scene.node);
          assertThat(scene.decide(change.after(), "k", 1).isAllowed()).as("%s", change).isFalse();
        });
  }

  private void forEachVersion(BiConsumer<LimitScene, PolicyChange> claim) {
    forEachChange(
        (scene, change) ->
            claim.accept(
                scene, new PolicyChange(change.before().version(1), change.after().version(2))));
  }

  /** A policy before and after its window was made longer. */
  record PolicyChange(Policy before, Policy after) {}

  private void forEachChange(BiConsumer<LimitScene, PolicyChange> claim) {
    Duration five = Duration.ofSeconds(5);
    Duration tenMinutes = Duration.ofMinutes(10);
    Map<Limit, Limit> changes = new LinkedHashMap<>();
    changes.put(FixedWindow.of(5, five), FixedWindow.of(5, tenMinutes));
    changes.put(
        FixedWindow.of(5, five).alignedToEpoch(), FixedWindow.of(5, tenMinutes).alignedToEpoch());
    changes.put(SlidingWindow.of(5, five), SlidingWindow.of(5, tenMinutes));
    changes.put(TokenBucket.of(5, five), TokenBucket.of(5, tenMinutes));
    changes.forEach(
        (before, after) -> {
          if (kinds().contains(before.getClass())) {
            LimitScene scene = limitScene();
            claim.accept(
                scene, new PolicyChange(scene.policy("p", before), scene.policy("p", after)));
          }
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
