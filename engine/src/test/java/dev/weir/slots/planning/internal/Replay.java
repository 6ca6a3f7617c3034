package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.slots.Calendar;
import dev.weir.slots.SlotPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.LongPredicate;

/** Plays a scenario to a {@link Subject} and to the oracle and compares them step by step. */
final class Replay {
  private final Scenario scenario;
  private final NaivePlanner oracle;
  private final Subject subject;
  private final List<Held> events = new ArrayList<>();

  Replay(Scenario scenario, Subject subject) {
    this.scenario = scenario;
    this.oracle = new NaivePlanner(scenario.policy(), scenario.open());
    this.subject = subject;
  }

  /** An event that has a slot. */
  record Held(PlacementRequest request, Placement.Placed placed) {}

  List<Held> events() {
    return events;
  }

  NaivePlanner oracle() {
    return oracle;
  }

  void play(Scenario.Step step) {
    switch (step) {
      case Scenario.Step.Request request -> {
        for (int i = 0; i < request.events(); i++) {
          request(request.request());
        }
      }
      case Scenario.Step.Cancel cancel -> cancel(cancel.event());
      case Scenario.Step.Limit limit -> change(limited(limit.maxPerWindow()), oracle.open());
      case Scenario.Step.Hours hours -> {
        if (hours.inForce()) {
          change(oracle.policy().withCalendar(scenario.policy().calendar()), scenario.open());
        } else {
          change(oracle.policy().withCalendar(Calendar.ALWAYS), NaivePlanner.ALWAYS);
        }
      }
    }
  }

  private void request(PlacementRequest request) {
    Placement answer =
        switch (oracle.policy().spread()) {
          case EVEN -> askEvenly(request);
          case RANDOM -> askAtRandom(request);
        };
    if (answer instanceof Placement.Placed placed) {
      events.add(new Held(request, placed));
      assertThat(oracle.taken(placed.windowStartMicros()).size())
          .as("events in the window")
          .isLessThanOrEqualTo(oracle.policy().maxPerWindow());
      assertThat(placed.scheduledMicros()).isBetween(oracle.from(request), oracle.latest(request));
      assertThat(oracle.isOpen(placed.scheduledMicros())).as("open").isTrue();
    }
  }

  private Placement askEvenly(PlacementRequest request) {
    Placement answer = subject.place(request);
    assertThat(answer).as("%s", request).isEqualTo(oracle.placeEvenly(request));
    return answer;
  }

  private Placement askAtRandom(PlacementRequest request) {
    long expected = oracle.randomWindow(request);
    Placement answer = subject.place(request);
    switch (answer) {
      case Placement.Placed placed -> {
        long size = oracle.policy().windowMicros();
        assertThat(placed.windowStartMicros()).isEqualTo(expected);
        assertThat(Math.floorDiv(placed.scheduledMicros(), size) * size).isEqualTo(expected);
        assertThat(placed.lookahead()).isEqualTo((expected - windowStart(request)) / size);
        assertThat(placed.place()).isLessThan(oracle.policy().maxPerWindow());
        oracle.take(expected, placed.place());
      }
      case Placement.NoCapacity noCapacity -> {
        assertThat(expected).as("%s", request).isEqualTo(TimeSpan.NEVER);
        assertThat(noCapacity.freeMicros()).isGreaterThanOrEqualTo(oracle.from(request));
      }
      case Placement.Unknown unknown -> throw new AssertionError(unknown);
    }
    return answer;
  }

  private long windowStart(PlacementRequest request) {
    long size = oracle.policy().windowMicros();
    return Math.floorDiv(oracle.from(request), size) * size;
  }

  private void cancel(int number) {
    if (!events.isEmpty()) {
      Placement.Placed placed = events.remove(number % events.size()).placed();
      Window window = oracle.window(placed.windowStartMicros());
      oracle.release(placed.windowStartMicros(), placed.place());
      subject.release(window, placed.place());
    }
  }

  private SlotPolicy limited(int maxPerWindow) {
    SlotPolicy policy = oracle.policy();
    return PolicyTimes.policy(
        maxPerWindow,
        policy.windowMicros(),
        policy.spread(),
        PolicyTimes.maxDelayMicros(policy),
        policy.notBefore(),
        policy.calendar(),
        PolicyTimes.pausedUntilMicros(policy));
  }

  private void change(SlotPolicy policy, LongPredicate open) {
    oracle.change(policy, open);
    subject.change(policy, oracle.taken().keySet().stream().map(oracle::window).toList());
  }

  /** The written state equals the actual one. */
  void checkStoredWindows() {
    Map<Long, byte[]> windows = subject.stored().windows();
    assertThat(windows).containsOnlyKeys(oracle.taken().keySet());
    windows.forEach(
        (start, bytes) ->
            assertThat(Window.of(start, bytes, 0).toBytes())
                .isEqualTo(oracle.window(start).toBytes()));
  }

  /** Runs contain exactly the windows without a usable place, each once. */
  void checkRuns(boolean complete) {
    NavigableMap<Long, Long> runs = subject.stored().runs();
    long end = Long.MIN_VALUE;
    for (Map.Entry<Long, Long> run : runs.entrySet()) {
      assertThat(run.getValue()).as("end of %s", run).isGreaterThan(run.getKey());
      if (complete) {
        assertThat(run.getKey()).as("run apart from the one before").isGreaterThan(end);
      } else {
        assertThat(run.getKey()).as("run after the one before").isGreaterThanOrEqualTo(end);
      }
      end = run.getValue();
      long last = Math.min(end, Micros.LATEST);
      for (long start = run.getKey(); start < last; start += oracle.policy().windowMicros()) {
        assertThat(oracle.hasFreePlace(start)).as("room in window %d of %s", start, run).isFalse();
      }
    }
    for (long start : oracle.taken().keySet()) {
      Map.Entry<Long, Long> run = runs.floorEntry(start);
      boolean inRun = run != null && run.getValue() > start;
      // The view need not know the bounds of time.
      if (!oracle.hasFreePlaceEver(start) && oracle.isOpenSomewhereIn(start)) {
        assertThat(inRun).as("full window %d in a run of %s", start, runs).isTrue();
      }
    }
  }

  void checkNoRunCrosses(long barrierMicros) {
    Map.Entry<Long, Long> run = subject.stored().runs().lowerEntry(barrierMicros);
    if (run != null) {
      assertThat(run.getValue()).as("end of %s", run).isLessThanOrEqualTo(barrierMicros);
    }
  }
}
