package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Requests across slots that meet, in every order of their steps or in many. */
@RequiresProgram("redis-server")
final class SlotBySlotTest {
  private static final Policy ONE_PLACE = Policy.of("one", FixedWindow.of(1, Duration.ofDays(1)));

  /** Random orders, where there are too many to try all. */
  private static final int ORDERS = 300;

  private final Redis redis = Servers.cluster().one();
  private final RedisLimitStore store = new RedisLimitStore(redis);
  private final Interleaving interleaving = new Interleaving(redis.names(), store::submit);

  @Test
  void ofTwoThatNeedTheSamePlacesOneIsGrantedInEveryOrder() throws Exception {
    Orders orders = new Orders();
    do {
      String scene = "two" + orders.tried();
      List<AcquireRequest> two = List.of(places(scene, "a", "b"), places(scene, "b", "a"));
      List<AcquireResult> results = interleaving.decide(two, orders);
      assertThat(granted(results)).as("order %s", orders).isEqualTo(1);
      assertThat(left(scene, "a", "b")).as("order %s", orders).isZero();
    } while (orders.next());
    assertThat(orders.tried()).isGreaterThan(100);
  }

  @Test
  void inACircleOfThreeExactlyOneIsGranted() throws Exception {
    for (int seed = 0; seed < ORDERS; seed++) {
      String scene = "circle" + seed;
      List<AcquireRequest> three =
          List.of(places(scene, "a", "b"), places(scene, "b", "c"), places(scene, "c", "a"));
      List<AcquireResult> results = interleaving.decide(three, new Random(seed)::nextInt);
      assertThat(granted(results)).as("order %s", seed).isEqualTo(1);
      assertThat(left(scene, "a", "b", "c")).as("order %s", seed).isEqualTo(1);
    }
  }

  @Test
  void requestIdsChangeNothing() throws Exception {
    for (int seed = 0; seed < ORDERS; seed++) {
      String scene = "ids" + seed;
      List<AcquireRequest> three =
          List.of(
              places(scene, "a", "b").withRequestId(scene + "1"),
              places(scene, "b", "a").withRequestId(scene + "2"),
              places(scene, "a", "b").withRequestId(scene + "3"));
      List<AcquireResult> results = interleaving.decide(three, new Random(seed)::nextInt);
      assertThat(granted(results)).as("order %s", seed).isEqualTo(1);
      assertThat(left(scene, "a", "b")).as("order %s", seed).isZero();
      for (int i = 0; i < 3; i++) {
        AcquireResult repeated =
            new SlotBySlot(redis.names(), three.get(i), store::submit).decide();
        assertThat(repeated.isReplayed()).isEqualTo(results.get(i).isAllowed());
      }
    }
  }

  @Test
  void aFullLimitTakesNothingFromOthersNotEvenForAMoment() throws Exception {
    assertThat(store.decide(places("full", "b")).isAllowed()).isTrue();
    for (int seed = 0; seed < ORDERS; seed++) {
      String scene = "free" + seed;
      AcquireRequest hopeless =
          AcquireRequest.all(
              Stream.concat(
                      places(scene, "a").parts().stream(), places("full", "b").parts().stream())
                  .toList());
      List<AcquireRequest> all =
          List.of(hopeless, hopeless.withRequestId(scene), places(scene, "a", "c"));
      List<AcquireResult> results = interleaving.decide(all, new Random(seed)::nextInt);
      assertThat(results)
          .as("order %s", seed)
          .extracting(AcquireResult::isAllowed)
          .containsExactly(false, false, true);
    }
  }

  /** A request for a place of each tag. */
  private static AcquireRequest places(String scene, String... tags) {
    return AcquireRequest.all(
        Stream.of(tags).map(tag -> LimitRequest.of(ONE_PLACE, "{" + tag + "}" + scene)).toList());
  }

  private static long granted(List<AcquireResult> results) {
    return results.stream().filter(AcquireResult::isAllowed).count();
  }

  /** Returns the places that are left of all these tags. */
  private long left(String scene, String... tags) {
    return store.peek(places(scene, tags)).outcomes().stream()
        .mapToLong(outcome -> outcome.remaining())
        .sum();
  }

  /** All orders of steps, one after the other. */
  private static final class Orders implements IntUnaryOperator {
    private record Choice(int chosen, int of) {}

    private List<Choice> choices = new ArrayList<>();
    private int made;
    private int tried;

    @Override
    public int applyAsInt(int of) {
      if (made == choices.size()) {
        choices.add(new Choice(0, of));
      }
      return choices.get(made++).chosen();
    }

    /** Goes to the next order; returns false if there is none. */
    boolean next() {
      tried++;
      made = 0;
      while (!choices.isEmpty()) {
        Choice last = choices.removeLast();
        if (last.chosen() + 1 < last.of()) {
          choices.add(new Choice(last.chosen() + 1, last.of()));
          return true;
        }
      }
      return false;
    }

    int tried() {
      return tried;
    }

    @Override
    public String toString() {
      return choices.stream().map(Choice::chosen).toList().toString();
    }
  }
}
