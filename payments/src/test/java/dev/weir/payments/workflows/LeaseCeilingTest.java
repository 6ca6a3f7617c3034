package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.memory.MemoryLeaseStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class LeaseCeilingTest {
  private static final Duration MAX_CALL = Duration.ofSeconds(2);
  private static final Duration MAX_LATENESS = Duration.ofSeconds(3);
  private static final Duration MAX_PAUSE = Duration.ofMinutes(15);

  private long nowMicros = 1_000_000_000_000L;
  private final LeaseStore leases =
      whileReachable(new MemoryLeaseStore(() -> Micros.instant(nowMicros)));
  private boolean isAway;
  private boolean isSilent;

  /** Returns a store that fails while it is away, or does what it should without an answer. */
  private LeaseStore whileReachable(LeaseStore store) {
    return (LeaseStore)
        Proxy.newProxyInstance(
            LeaseStore.class.getClassLoader(),
            new Class<?>[] {LeaseStore.class},
            (proxy, method, arguments) -> {
              if (isAway) {
                throw new StoreException(StoreException.Outcome.NONE, "away");
              }
              Object answer;
              try {
                answer = method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (isSilent) {
                throw new StoreException(StoreException.Outcome.UNKNOWN, "no answer");
              }
              return answer;
            });
  }

  private LeaseCeiling ceiling(int max) {
    return new LeaseCeiling(
        leases,
        "bank",
        max,
        new LeaseCeiling.Times(MAX_CALL, MAX_LATENESS, MAX_PAUSE),
        () -> nowMicros * 1_000);
  }

  private static Ceiling.Permit permit(Ceiling.Admission admission) {
    assertThat(admission).isInstanceOf(Ceiling.Permit.class);
    return (Ceiling.Permit) admission;
  }

  @Test
  void placeIsFreeASecondAfterTheAnswer() {
    LeaseCeiling ceiling = ceiling(1);
    Ceiling.Permit permit = permit(ceiling.enter("a"));
    nowMicros += 300_000;
    permit.answered(true);
    nowMicros += 999_999;
    assertThat(ceiling.enter("b")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 1;
    permit(ceiling.enter("b"));
  }

  @Test
  void placeOfACallWhoseWorkerDiedIsKeptUntilItCanNoLongerArrive() {
    LeaseCeiling ceiling = ceiling(1);
    permit(ceiling.enter("a"));
    // Up to 5 s until it is sent, 2 s until it is given up, 3 s until it arrives, and a second; and
    // the downstream may have been suspended.
    nowMicros += Micros.floor(MAX_PAUSE) + 10_999_999;
    assertThat(ceiling.enter("b")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 1;
    permit(ceiling.enter("b"));
  }

  @Test
  void placeOfACallWithoutAnAnswerIsKeptUntilTheAnswer() {
    LeaseCeiling ceiling = ceiling(1);
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    permit(ceiling.enter("a")).unanswered(end);
    nowMicros += Micros.floor(MAX_PAUSE);
    assertThat(ceiling.enter("b")).isInstanceOf(Ceiling.Wait.class);
    end.complete(true);
    nowMicros += 999_999;
    assertThat(ceiling.enter("b")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 1;
    permit(ceiling.enter("b"));
  }

  @Test
  void placeOfACallWhoseConnectionEndsIsKeptUntilItCanNoLongerArrive() {
    LeaseCeiling ceiling = ceiling(1);
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    permit(ceiling.enter("a")).unanswered(end);
    nowMicros += Micros.floor(MAX_PAUSE) / 2;
    end.complete(false);
    nowMicros += 3_999_999;
    assertThat(ceiling.enter("b")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 1;
    permit(ceiling.enter("b"));
  }

  @Test
  void placeOfACallWithoutAnAnswerIsFreeAfterTheLongestPause() {
    LeaseCeiling ceiling = ceiling(1);
    Ceiling.Permit permit = permit(ceiling.enter("a"));
    nowMicros += 7_000_000;
    permit.unanswered(new CompletableFuture<>());
    nowMicros += Micros.floor(MAX_PAUSE) + 3_999_999;
    assertThat(ceiling.enter("b")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 1;
    permit(ceiling.enter("b"));
  }

  @Test
  void placeOfACallThatHasEndedWhenItIsGivenUpIsFreeSoon() {
    LeaseCeiling ceiling = ceiling(2);
    // As one whose status has come in time, and whose body has not.
    permit(ceiling.enter("a")).unanswered(CompletableFuture.completedFuture(true));
    permit(ceiling.enter("b")).unanswered(CompletableFuture.completedFuture(false));
    nowMicros += 999_999;
    assertThat(ceiling.enter("c")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 1;
    permit(ceiling.enter("c"));
    nowMicros += 2_999_999;
    assertThat(ceiling.enter("d")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 1;
    permit(ceiling.enter("d"));
  }

  @Test
  void placeOfACallThatIsGivenUpWhileTheStoreIsAwayIsKept() {
    LeaseCeiling ceiling = ceiling(1);
    Ceiling.Permit permit = permit(ceiling.enter("a"));
    nowMicros += 2_000_000;
    isAway = true;
    permit.unanswered(new CompletableFuture<>());
    isAway = false;
    nowMicros += Micros.floor(MAX_PAUSE);
    assertThat(ceiling.enter("b")).isInstanceOf(Ceiling.Wait.class);
  }

  @Test
  void placeOfACallThatEndsWhileTheStoreIsAwayIsFreeWhenItIsBack() {
    LeaseCeiling ceiling = ceiling(2);
    Ceiling.Permit answered = permit(ceiling.enter("a"));
    Ceiling.Permit unused = permit(ceiling.enter("b"));
    isAway = true;
    answered.answered(true);
    unused.unused();
    nowMicros += 60_000_000;
    assertThatThrownBy(() -> ceiling.enter("c")).isInstanceOf(StoreException.class);
    isAway = false;
    permit(ceiling.enter("c"));
    // The store has learned only now that the call was answered.
    nowMicros += 999_999;
    assertThat(ceiling.enter("d")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 1;
    permit(ceiling.enter("d"));
  }

  @Test
  void noMoreConnectionsAreKeptForLateAnswersThanThereArePlaces() {
    LeaseCeiling ceiling = ceiling(2);
    List<CompletableFuture<Boolean>> ends = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      CompletableFuture<Boolean> end = new CompletableFuture<>();
      ends.add(end);
      permit(ceiling.enter("given up " + i)).unanswered(end);
      nowMicros += 1;
      permit(ceiling.enter("answered " + i)).answered(true);
      // Until the places of both are free again.
      nowMicros += 60_000_000;
    }
    assertThat(ends).filteredOn(CompletableFuture::isCancelled).isEqualTo(ends.subList(0, 3));
  }

  @Test
  void decisionAboutALaterCallEndsAnEarlierOneThatWasGivenUp() {
    LeaseCeiling ceiling = ceiling(2);
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    Ceiling.Permit first = permit(ceiling.enter("a"));
    Ceiling.Permit meanwhile = permit(ceiling.enter("b"));
    nowMicros += 2_000_000;
    first.unanswered(end);
    // It may have been answered by a downstream that is suspended since then.
    meanwhile.answered(true);
    nowMicros += 1_000_000;
    // A proxy can say this while the downstream is suspended.
    permit(ceiling.enter("c")).answered(false);
    assertThat(end).isNotDone();
    nowMicros += 1_000_000;
    permit(ceiling.enter("d")).answered(true);
    assertThat(end).as("its late answer counts").isNotDone();
    nowMicros += 3_999_999;
    permit(ceiling.enter("e"));
    assertThat(ceiling.enter("f")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 1;
    permit(ceiling.enter("f"));
  }

  @Test
  void placeThatMayHaveBeenTakenIsFreeWhenTheStoreIsBack() {
    LeaseCeiling ceiling = ceiling(1);
    isSilent = true;
    assertThatThrownBy(() -> ceiling.enter("a")).isInstanceOf(StoreException.class);
    isSilent = false;
    permit(ceiling.enter("a"));
  }

  @Test
  void placeThatWasNotUsedIsFreeNow() {
    LeaseCeiling ceiling = ceiling(1);
    permit(ceiling.enter("a")).unused();
    permit(ceiling.enter("b"));
  }

  @Test
  void permissionEndsWhenTheProcessHesitates() {
    Ceiling.Permit permit = permit(ceiling(1).enter("a"));
    nowMicros += 4_999_999;
    assertThat(permit.isValid()).isTrue();
    nowMicros += 1;
    assertThat(permit.isValid()).isFalse();
  }

  @Test
  void eachOfManyWaitsLongerThanTheOneBefore() {
    LeaseCeiling ceiling = ceiling(10);
    for (int i = 0; i < 10; i++) {
      permit(ceiling.enter("first" + i)).answered(true);
    }
    Duration last = Duration.ZERO;
    for (int i = 0; i < 100; i++) {
      Ceiling.Wait wait = (Ceiling.Wait) ceiling.enter("late" + i);
      assertThat(wait.duration()).isGreaterThan(last);
      last = wait.duration();
    }
    // 110 ms each, and the second until the first place is free.
    assertThat(last).isEqualTo(Duration.ofSeconds(12));
  }

  /** An event of a simulation. */
  private record Event(long atMicros, Runnable action) {}

  /**
   * Callers that come in any order, with any latency, to a downstream that pauses for up to a
   * minute; some get no answer, and arrive late.
   */
  @Property(tries = 200)
  void noSecondSeesMoreCallsThanTheCeiling(
      @ForAll @IntRange(min = 1, max = 20) int max, @ForAll long seed) {
    Random random = new Random(seed);
    LeaseCeiling ceiling = ceiling(max);
    long pause = nowMicros + random.nextLong(3_000_000);
    Paused paused = new Paused(pause, pause + random.nextLong(60_000_000));
    PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::atMicros));
    List<Long> arrivals = new ArrayList<>();
    int callers = max * 20;
    for (int i = 0; i < callers; i++) {
      String id = "p" + i;
      events.add(
          new Event(
              nowMicros + random.nextLong(3_000_000),
              new Runnable() {
                @Override
                public void run() {
                  switch (ceiling.enter(id)) {
                    case Ceiling.Wait wait ->
                        events.add(new Event(nowMicros + wait.duration().toNanos() / 1_000, this));
                    case Ceiling.Permit permit -> call(permit, random, paused, events, arrivals);
                  }
                }
              }));
    }
    while (!events.isEmpty()) {
      Event event = events.poll();
      nowMicros = Math.max(nowMicros, event.atMicros());
      event.action().run();
    }
    assertThat(maxInASecond(arrivals)).isLessThanOrEqualTo(max);
    assertThat(arrivals).hasSizeGreaterThan(callers / 2);
  }

  /** A time at which the downstream does nothing; what has come meanwhile, it sees at the end. */
  private record Paused(long fromMicros, long untilMicros) {
    private long seenAt(long comesAt) {
      return comesAt >= fromMicros && comesAt < untilMicros ? untilMicros : comesAt;
    }
  }

  private void call(
      Ceiling.Permit permit,
      Random random,
      Paused paused,
      PriorityQueue<Event> events,
      List<Long> arrivals) {
    long givenUpAt = nowMicros + 2_000_000;
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    if (random.nextInt(10) == 0 && paused.seenAt(givenUpAt) == givenUpAt) {
      // Its connection ends, and it arrives within another 3 s, or never.
      long arrival = nowMicros + random.nextLong(5_000_000);
      if (random.nextBoolean() && paused.seenAt(arrival) == arrival) {
        arrivals.add(arrival);
      }
      events.add(new Event(givenUpAt, () -> permit.unanswered(end)));
      events.add(new Event(givenUpAt + random.nextLong(1_000_000), () -> end.complete(false)));
      return;
    }
    long latency = 1 + random.nextLong(random.nextBoolean() ? 50_000 : 2_000_000);
    long arrival = paused.seenAt(nowMicros + random.nextLong(latency));
    arrivals.add(arrival);
    long answer = paused.seenAt(Math.max(arrival, nowMicros + latency));
    if (answer <= givenUpAt) {
      events.add(new Event(answer, () -> permit.answered(true)));
    } else {
      events.add(new Event(givenUpAt, () -> permit.unanswered(end)));
      events.add(new Event(answer, () -> end.complete(true)));
    }
  }

  private static int maxInASecond(List<Long> arrivals) {
    List<Long> sorted = new ArrayList<>(arrivals);
    Collections.sort(sorted);
    int max = 0;
    int from = 0;
    for (int until = 0; until < sorted.size(); until++) {
      while (sorted.get(from) <= sorted.get(until) - 1_000_000) {
        from++;
      }
      max = Math.max(max, until - from + 1);
    }
    return max;
  }
}
