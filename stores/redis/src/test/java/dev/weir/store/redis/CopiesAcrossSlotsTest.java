package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Copies of one request across slots: what one of them was answered is never given back. */
@RequiresProgram("redis-server")
final class CopiesAcrossSlotsTest {
  private static final Policy ONE_PLACE = Policy.of("one", FixedWindow.of(1, Duration.ofDays(1)));

  /** In the order of their slots. */
  private static final String FIRST = "b";

  private static final String MIDDLE = "c";
  private static final String LAST = "a";

  private static final int ORDERS = 300;

  private final Redis redis = Servers.cluster().one();
  private final RedisLimitStore store = new RedisLimitStore(redis);
  private final String scene = UUID.randomUUID().toString();

  @Test
  void tagsAreInTheOrderOfTheirSlots() {
    assertThat(Stream.of(FIRST, MIDDLE, LAST).map(SlotHash::getSlot)).isSorted();
  }

  @Test
  void copyThatIsRefusedGivesNothingBackThatAnotherWasGranted() {
    AcquireRequest request = places(FIRST, LAST).withRequestId(scene);
    AcquireRequest last = places(LAST);
    List<AcquireResult> other = new ArrayList<>();
    List<AcquireResult> copies = new ArrayList<>();
    AcquireResult refused =
        decide(
            request,
            before(3, () -> other.add(store.decide(last))),
            before(
                4,
                () -> {
                  store.refund(last, other.getFirst().decidedAt());
                  copies.add(decide(request));
                }));

    assertThat(refused.isAllowed()).isFalse();
    assertThat(copies).singleElement().matches(AcquireResult::isAllowed);
    assertThat(left(FIRST, LAST)).isZero();
  }

  @Test
  void copyWithoutAnAnswerGivesNothingBackThatAnotherWasGranted() {
    AcquireRequest request = places(FIRST, MIDDLE, LAST).withRequestId(scene);
    List<AcquireResult> copies = new ArrayList<>();
    StoreException lost =
        catchThrowableOfType(
            StoreException.class,
            () ->
                decide(
                    request,
                    new Step(
                        3, () -> copies.add(decide(request)), StoreException.Outcome.UNKNOWN)));

    assertThat(lost.outcome()).isEqualTo(StoreException.Outcome.UNKNOWN);
    assertThat(copies).singleElement().matches(AcquireResult::isAllowed);
    assertThat(left(FIRST, MIDDLE, LAST)).isZero();
  }

  @Test
  void copyWhoseLastAnswerIsLostGivesNothingBackThatIsRemembered() {
    AcquireRequest request = places(FIRST, LAST).withRequestId(scene);
    List<AcquireResult> copies = new ArrayList<>();
    StoreException lost =
        catchThrowableOfType(
            StoreException.class,
            () ->
                decide(
                    request,
                    new Step(3, () -> {}, StoreException.Outcome.UNKNOWN),
                    before(4, () -> copies.add(decide(request)))));
    if (copies.isEmpty()) {
      copies.add(decide(request));
    }

    assertThat(lost.outcome()).isEqualTo(StoreException.Outcome.UNKNOWN);
    assertThat(copies).first().matches(AcquireResult::isReplayed);
    assertThat(left(FIRST, LAST)).isZero();
  }

  @Test
  void ofTwoCopiesOneIsNewAndTheOtherIsRepeated() {
    AcquireRequest request = places(FIRST, LAST).withRequestId(scene);
    List<AcquireResult> copies = new ArrayList<>();
    copies.add(decide(request, before(3, () -> copies.add(decide(request)))));

    assertThat(copies).allMatch(AcquireResult::isAllowed);
    assertThat(copies).extracting(AcquireResult::isReplayed).containsExactly(false, true);
    assertThat(copies.getFirst().decidedAt()).isEqualTo(copies.getLast().decidedAt());
    assertThat(left(FIRST, LAST)).isZero();
  }

  @Test
  void inEveryOrderAsMuchIsTakenAsIsGranted() throws Exception {
    Interleaving interleaving = new Interleaving(redis.names(), store::submit);
    for (int seed = 0; seed < ORDERS; seed++) {
      String round = scene + seed;
      AcquireRequest copy = placesIn(round, FIRST, MIDDLE).withRequestId(round);
      List<AcquireRequest> requests =
          List.of(copy, copy, placesIn(round, MIDDLE, LAST), placesIn(round, LAST));
      List<AcquireResult> results = interleaving.decide(requests, new Random(seed)::nextInt);
      boolean isCopyGranted = results.get(0).isAllowed() || results.get(1).isAllowed();
      long taken =
          (isCopyGranted ? 2 : 0)
              + (results.get(2).isAllowed() ? 2 : 0)
              + (results.get(3).isAllowed() ? 1 : 0);
      assertThat(3 - leftIn(round, FIRST, MIDDLE, LAST)).as("order %s", seed).isEqualTo(taken);
      assertThat(results.subList(0, 2))
          .as("order %s", seed)
          .filteredOn(result -> result.isAllowed() && !result.isReplayed())
          .hasSize(isCopyGranted ? 1 : 0);
    }
  }

  @Test
  void whatACopyTookIsGivenBackByTheLastOneThatIsRefused() {
    AcquireRequest request = places(FIRST, LAST).withRequestId(scene);
    List<AcquireResult> copies = new ArrayList<>();
    copies.add(
        decide(
            request,
            before(
                3,
                () -> copies.add(decide(request, before(3, () -> store.decide(places(LAST))))))));

    assertThat(copies).noneMatch(AcquireResult::isAllowed);
    assertThat(left(FIRST)).isOne();
  }

  @Test
  void requestThatWasHalfDoneBeforeARuleChangedIsRefusedByALaterSlot() {
    AcquireRequest changed = halfDoneBeforeAChange();
    assertThat(store.decide(places(LAST)).isAllowed()).isTrue();

    AcquireResult refused = decide(changed);

    assertThat(refused.isAllowed()).isFalse();
    assertThat(refused.outcomes()).extracting(Outcome::isAllowed).containsExactly(true, false);
  }

  @Test
  void requestThatWasHalfDoneBeforeARuleChangedIsRepeatedWithoutNumbers() {
    AcquireResult repeated = decide(halfDoneBeforeAChange());

    assertThat(repeated.isAllowed()).isTrue();
    assertThat(repeated.isReplayed()).isTrue();
    assertThat(repeated.outcomes()).isEmpty();
    assertThat(left(LAST)).isZero();
  }

  /** Returns a request that only its first slot has done, by the former rate of its bucket. */
  private AcquireRequest halfDoneBeforeAChange() {
    AcquireRequest before = bucketAndPlace(Duration.ofDays(30));
    AcquireRequest first =
        new AcquireRequest(List.of(before.parts().getFirst()), Map.of(), before.binding());
    assertThat(decide(first).isAllowed()).isTrue();
    return bucketAndPlace(Duration.ofDays(20));
  }

  private AcquireRequest bucketAndPlace(Duration refill) {
    Policy bucket = Policy.of("bucket", TokenBucket.of(10, refill));
    return AcquireRequest.all(
            LimitRequest.of(bucket, "{" + FIRST + "}" + scene),
            LimitRequest.of(ONE_PLACE, "{" + LAST + "}" + scene))
        .withRequestId(scene);
  }

  @Test
  void refundThatOneSlotHasDoneMayBeDone() {
    AcquireRequest request = places(FIRST, LAST);
    AcquireResult granted = store.decide(request);
    for (int unreachable = 0; unreachable < 2; unreachable++) {
      StoreException failure = failureOfRefund(request, granted.decidedAt(), unreachable);
      assertThat(failure.outcome()).isEqualTo(StoreException.Outcome.UNKNOWN);
    }
    assertThat(left(FIRST)).isOne();
  }

  private StoreException failureOfRefund(AcquireRequest request, Instant at, int unreachable) {
    Function<List<LimitCall>, List<CallResult>> calls =
        sent -> {
          List<CallResult> results = new ArrayList<>();
          for (int i = 0; i < sent.size(); i++) {
            results.add(
                i == unreachable
                    ? failed(StoreException.Outcome.NONE)
                    : store.submit(List.of(sent.get(i))).getFirst());
          }
          return results;
        };
    return catchThrowableOfType(
        StoreException.class, () -> new SlotBySlot(redis.names(), request, calls).refund(at));
  }

  /**
   * What happens at a call of a request.
   *
   * @param call its number, from 1, which looks at all slots
   * @param before what others do before it
   * @param answer {@link StoreException.Outcome#UNKNOWN} if its answer is lost
   */
  private record Step(int call, Runnable before, StoreException.Outcome answer) {}

  private static Step before(int call, Runnable before) {
    return new Step(call, before, StoreException.Outcome.NONE);
  }

  private AcquireResult decide(AcquireRequest request, Step... steps) {
    int[] calls = {0};
    return new SlotBySlot(
            redis.names(),
            request,
            sent -> {
              int call = ++calls[0];
              List<Step> now = Stream.of(steps).filter(step -> step.call() == call).toList();
              now.forEach(step -> step.before().run());
              List<CallResult> results = store.submit(sent);
              boolean isLost =
                  now.stream().anyMatch(step -> step.answer() == StoreException.Outcome.UNKNOWN);
              return isLost ? List.of(failed(StoreException.Outcome.UNKNOWN)) : results;
            })
        .decide();
  }

  private static CallResult failed(StoreException.Outcome outcome) {
    return new CallResult.Failed(new StoreException(outcome, "made by the test"));
  }

  /** A request for a place of each tag. */
  private AcquireRequest places(String... tags) {
    return placesIn(scene, tags);
  }

  private static AcquireRequest placesIn(String round, String... tags) {
    return AcquireRequest.all(
        Stream.of(tags).map(tag -> LimitRequest.of(ONE_PLACE, "{" + tag + "}" + round)).toList());
  }

  private long left(String... tags) {
    return leftIn(scene, tags);
  }

  /** Returns the places that are left of all these tags. */
  private long leftIn(String round, String... tags) {
    return store.peek(placesIn(round, tags)).outcomes().stream()
        .mapToLong(outcome -> outcome.remaining())
        .sum();
  }
}
