package dev.weir.workflows.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.limits.memory.MemoryLeaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class LeaseCeilingTest {
  private static final Duration MAX_CALL = Duration.ofSeconds(2);
  private static final Duration MAX_LATENESS = Duration.ofSeconds(3);

  private long nowMicros = 1_000_000_000_000L;
  private final MemoryLeaseStore leases = new MemoryLeaseStore(() -> nowMicros);

  private LeaseCeiling ceiling(int max) {
    return new LeaseCeiling(
        leases, "bank", max, MAX_CALL.plus(MAX_LATENESS), () -> nowMicros * 1_000);
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
    permit.answered();
    nowMicros += 999_999;
    assertThat(ceiling.enter("b")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 1;
    permit(ceiling.enter("b"));
  }

  @Test
  void placeOfACallWithoutAnAnswerIsKeptUntilItCanNoLongerArrive() {
    LeaseCeiling ceiling = ceiling(1);
    permit(ceiling.enter("a"));
    // Up to 5 s until it is sent, 2 s until it is given up, 3 s until it arrives, and a second.
    nowMicros += 10_999_999;
    assertThat(ceiling.enter("b")).isInstanceOf(Ceiling.Wait.class);
    nowMicros += 1;
    permit(ceiling.enter("b"));
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
      permit(ceiling.enter("first" + i)).answered();
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

  /** Callers that come in any order, with any latency; some get no answer, and arrive late. */
  @Property(tries = 200)
  void noSecondSeesMoreCallsThanTheCeiling(
      @ForAll @IntRange(min = 1, max = 20) int max, @ForAll long seed) {
    Random random = new Random(seed);
    LeaseCeiling ceiling = ceiling(max);
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
                    case Ceiling.Permit permit -> call(permit, random, events, arrivals);
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

  private void call(
      Ceiling.Permit permit, Random random, PriorityQueue<Event> events, List<Long> arrivals) {
    if (random.nextInt(10) == 0) {
      // Given up after 2 s; it arrives within another 3, or never.
      if (random.nextBoolean()) {
        arrivals.add(nowMicros + random.nextLong(5_000_000));
      }
      return;
    }
    long latency = random.nextLong(random.nextBoolean() ? 50_000 : 2_000_000);
    arrivals.add(nowMicros + (latency == 0 ? 0 : random.nextLong(latency)));
    events.add(new Event(nowMicros + latency, permit::answered));
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
