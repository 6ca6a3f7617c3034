package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.slots.Calendar;
import dev.weir.slots.NotBefore;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import dev.weir.slots.planning.internal.Backlog.Demand;
import dev.weir.slots.planning.internal.Backlog.Fill;
import dev.weir.slots.planning.internal.Backlog.Load;
import dev.weir.slots.planning.internal.Backlog.Outcome;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.constraints.IntRange;

class BacklogTest {
  private static final long SIZE = 4_000_000;
  private static final long BASE = Micros.ceil(Instant.parse("2026-06-01T12:00:00Z"));
  private static final long NEVER = Micros.LATEST + 1;
  private static final SlotPolicy POLICY = SlotPolicy.of(100, Duration.ofSeconds(4));

  /** A policy, and the numbers of events that may run from some of its windows on. */
  record Stage(SlotPolicy policy, List<Demand> demands) {}

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void fillsTheWindowsThatThePlannerWouldFill(@ForAll("stages") Stage stage) {
    Map<Long, Long> fills = new TreeMap<>();

    Outcome outcome =
        Backlog.replay(stage.policy(), stage.demands(), NEVER, fill -> add(fills, stage, fill));

    long unplaced = 0;
    Map<Long, Long> placed = new TreeMap<>();
    OccupancyView view = OccupancyView.empty(stage.policy());
    for (Demand demand : stage.demands()) {
      unplaced += place(view, demand, placed);
    }
    assertThat(fills).isEqualTo(placed);
    assertThat(outcome.unplaced()).isEqualTo(unplaced);
    long last = placed.keySet().stream().reduce((one, other) -> other).orElse(Long.MIN_VALUE);
    assertThat(outcome.endMicros())
        .isEqualTo(placed.isEmpty() ? Outcome.NOTHING : last + stage.policy().windowMicros());
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void nothingMovesUnderTheSamePolicy(@ForAll("stages") Stage stage) {
    SlotPolicy policy = stage.policy();
    OccupancyView view = OccupancyView.empty(policy);
    Map<Long, Long> before = new TreeMap<>();
    for (int i = 0; i < stage.demands().size(); i++) {
      // Requests come at any time of a window.
      long from = stage.demands().get(i).fromMicros() + policy.windowMicros() * (i * 7 % 10) / 10;
      PlacementRequest request = new PlacementRequest(from, from);
      for (int event = 0; event < stage.demands().get(i).events(); event++) {
        if (Planner.place(view, request, new Random(event)) instanceof Placement.Placed found) {
          before.merge(found.windowStartMicros(), 1L, Long::sum);
        }
      }
    }
    List<Load> loads = new ArrayList<>();
    before.forEach((start, events) -> loads.add(new Load(start, events)));

    Map<Long, Long> after = new TreeMap<>();
    Outcome outcome =
        Backlog.replay(
            policy, Backlog.demands(policy, loads), NEVER, fill -> add(after, stage, fill));

    assertThat(after).isEqualTo(before);
    assertThat(outcome.unplaced()).isZero();
  }

  /** The opening hours may begin and end within windows, which then may have no place at all. */
  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void whatWasRequestedAtOneTimeIsTakenToHaveBeen(
      @ForAll("stages") Stage stage, @ForAll @IntRange(min = 1, max = 60) int events) {
    SlotPolicy policy = stage.policy().withMaxDelay(Duration.ofSeconds(Long.MAX_VALUE));
    Map<Long, Long> placed = new TreeMap<>();
    place(OccupancyView.empty(policy), new Demand(policy.windowStart(BASE), events), placed);
    List<Load> loads = new ArrayList<>();
    placed.forEach((start, count) -> loads.add(new Load(start, count)));

    List<Demand> demands = Backlog.demands(policy, loads);

    long first = loads.getFirst().startMicros();
    assertThat(demands).extracting(Demand::fromMicros).containsOnly(first);
    assertThat(demands.stream().mapToLong(Demand::events).sum()).isEqualTo(events);
  }

  /** From 08:50 on there is no place before 09:00: 08:00, 08:15, 08:30 and 08:45 are closed. */
  @Example
  void aWindowThatOpensBehindItsLastPlaceIsNoGap() {
    long hour = 3_600_000_000L;
    List<OpeningHours.Hours> hours =
        List.of(OpeningHours.Hours.of(LocalTime.of(8, 50), LocalTime.of(17, 0)));
    Map<DayOfWeek, List<OpeningHours.Hours>> week = new EnumMap<>(DayOfWeek.class);
    for (DayOfWeek day : DayOfWeek.values()) {
      week.put(day, hours);
    }
    SlotPolicy policy =
        SlotPolicy.of(4, Duration.ofHours(1))
            .withCalendar(new OpeningHours(ZoneOffset.UTC, week, Set.of()));
    long nine = Micros.ceil(Instant.parse("2026-06-01T09:00:00Z"));
    List<Load> loads = new ArrayList<>();
    for (int window = 0; window < 8; window++) {
      loads.add(new Load(nine + window * hour, 4));
    }
    loads.add(new Load(nine + 24 * hour, 3));

    assertThat(Backlog.demands(policy, loads))
        .containsExactly(new Demand(nine, 31), Demand.during(policy, nine, 4));
  }

  private static void add(Map<Long, Long> windows, Stage stage, Fill fill) {
    for (long i = 0; i < fill.windows(); i++) {
      Long old =
          windows.put(fill.startMicros() + i * stage.policy().windowMicros(), fill.perWindow());
      assertThat(old).as("a window is reported once").isNull();
    }
  }

  @Example
  void anEventBehindAFreePlaceWasRequestedForItsWindow() {
    assertThat(
            Backlog.demands(
                POLICY,
                List.of(
                    new Load(BASE, 100),
                    new Load(BASE + SIZE, 100),
                    new Load(BASE + 2 * SIZE, 30),
                    new Load(BASE + 3 * SIZE, 5),
                    new Load(BASE + 9 * SIZE, 100))))
        .containsExactly(
            new Demand(BASE, 130),
            Demand.during(POLICY, BASE, 100),
            Demand.during(POLICY, BASE + 3 * SIZE, 5),
            Demand.during(POLICY, BASE + 9 * SIZE, 100));
  }

  @Example
  void aWindowBeyondItsLimitIsFull() {
    assertThat(Backlog.demands(POLICY, List.of(new Load(BASE, 250), new Load(BASE + SIZE, 1))))
        .containsExactly(new Demand(BASE, 1), Demand.during(POLICY, BASE, 250));
  }

  @Example
  void anEventBeyondTheMaxDelayWasRequestedLater() {
    SlotPolicy policy = POLICY.withMaxDelay(Duration.ofSeconds(11));
    List<Load> loads = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      loads.add(new Load(BASE + i * SIZE, 100));
    }
    // The last place of the third window is 11.96 s after the start of the first one.
    assertThat(Backlog.demands(policy, loads))
        .containsExactly(
            new Demand(BASE, 100),
            Demand.during(policy, BASE, 100),
            new Demand(BASE + 2 * SIZE, 100),
            Demand.during(policy, BASE + 2 * SIZE, 100),
            new Demand(BASE + 4 * SIZE, 100),
            Demand.during(policy, BASE + 4 * SIZE, 100),
            Demand.during(policy, BASE + 6 * SIZE, 100));
  }

  /** They were too many for the first window, so they were requested when it began. */
  @Example
  void eventsBehindAFullWindowFindNoPlaceUnderAShorterDelay() {
    List<Demand> demands =
        Backlog.demands(POLICY, List.of(new Load(BASE, 100), new Load(BASE + SIZE, 70)));

    Outcome outcome =
        Backlog.replay(POLICY.withMaxDelay(Duration.ofMillis(399)), demands, NEVER, fill -> {});

    // Ten places are within the delay; those of the first window may wait for their own time.
    assertThat(outcome).isEqualTo(new Outcome(BASE + SIZE, 70));
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void furtherEventsTakeThePlacesThatThePlannerWouldGiveThem(
      @ForAll("stages") Stage stage, @ForAll @IntRange(min = 1, max = 60) int more) {
    SlotPolicy policy = withDeadlinesBetweenWindows(stage.policy());
    OccupancyView view = OccupancyView.empty(policy);
    Map<Long, Long> placed = new TreeMap<>();
    stage.demands().forEach(demand -> place(view, demand, placed));
    List<Load> loads = new ArrayList<>();
    placed.forEach((start, events) -> loads.add(new Load(start, events)));
    Demand further = new Demand(policy.windowStart(BASE), more);
    Map<Long, Long> fills = new TreeMap<>();

    Outcome outcome = Backlog.add(policy, loads, further, NEVER, fill -> add(fills, stage, fill));

    assertThat(outcome.unplaced()).isEqualTo(place(view, further, placed));
    assertThat(fills).isEqualTo(placed);
  }

  /** The forecast does not know which places of a window are taken, before or after a deadline. */
  private static SlotPolicy withDeadlinesBetweenWindows(SlotPolicy policy) {
    long size = policy.windowMicros();
    long delay = PolicyTimes.maxDelayMicros(policy);
    return delay < size
        ? policy
        : policy.withMaxDelay(Duration.of(delay - delay % size - 1, ChronoUnit.MICROS));
  }

  /** Places events one by one; returns how many find no place. */
  private static long place(OccupancyView view, Demand demand, Map<Long, Long> placed) {
    PlacementRequest request = new PlacementRequest(demand.fromMicros(), demand.fromMicros());
    long unplaced = 0;
    for (int i = 0; i < demand.events(); i++) {
      if (Planner.place(view, request, new Random(1)) instanceof Placement.Placed found) {
        placed.merge(found.windowStartMicros(), 1L, Long::sum);
      } else {
        unplaced++;
      }
    }
    return unplaced;
  }

  @Example
  void whatIsPlacedStaysWhenFurtherEventsCome() {
    List<Fill> fills = new ArrayList<>();
    Outcome outcome =
        Backlog.add(
            POLICY,
            List.of(
                new Load(BASE, 3_000), new Load(BASE + SIZE, 60), new Load(BASE + 9 * SIZE, 100)),
            new Demand(BASE, 260),
            NEVER,
            fills::add);
    assertThat(fills)
        .containsExactly(
            new Fill(BASE, 1, 3_000),
            new Fill(BASE + SIZE, 1, 100),
            new Fill(BASE + 2 * SIZE, 2, 100),
            new Fill(BASE + 4 * SIZE, 1, 20),
            new Fill(BASE + 9 * SIZE, 1, 100));
    assertThat(outcome).isEqualTo(new Outcome(BASE + 10 * SIZE, 0));
  }

  @Example
  void twiceTheLimitTakesHalfTheTime() {
    List<Fill> fills = new ArrayList<>();
    Outcome outcome =
        Backlog.replay(
            SlotPolicy.of(200, Duration.ofSeconds(4)),
            List.of(new Demand(BASE, 1_000_000_050)),
            NEVER,
            fills::add);
    assertThat(fills)
        .containsExactly(new Fill(BASE, 5_000_000, 200), new Fill(BASE + 5_000_000 * SIZE, 1, 50));
    assertThat(outcome).isEqualTo(new Outcome(BASE + 5_000_001 * SIZE, 0));
  }

  @Example
  void theHorizonBoundsTheForecast() {
    List<Fill> fills = new ArrayList<>();
    Outcome outcome =
        Backlog.replay(POLICY, List.of(new Demand(BASE, 1_000)), BASE + 3 * SIZE, fills::add);
    assertThat(fills).containsExactly(new Fill(BASE, 3, 100));
    assertThat(outcome).isEqualTo(new Outcome(BASE + 3 * SIZE, 700));
  }

  /** The end of the pause and the maximum delay leave a part of the window to both demands. */
  @Example
  void demandsShareThePartOfAWindowThatAPauseLeaves() {
    for (Spread spread : Spread.values()) {
      SlotPolicy policy =
          PolicyTimes.policy(
              4,
              SIZE,
              spread,
              SIZE + SIZE / 2 + 2,
              NotBefore.REQUESTED,
              Calendar.ALWAYS,
              BASE + SIZE + 1);
      fillsTheWindowsThatThePlannerWouldFill(
          new Stage(policy, List.of(new Demand(BASE, 1), new Demand(BASE, 2))));
    }
  }

  @Example
  void nothingHasNoEnd() {
    assertThat(Backlog.replay(POLICY, List.of(), NEVER, fill -> {}))
        .isEqualTo(new Outcome(Outcome.NOTHING, 0));
    assertThat(Backlog.demands(POLICY, List.of())).isEmpty();
  }

  @Provide
  Arbitrary<Stage> stages() {
    Arbitrary<Tuple2<Calendar, Long>> times =
        Arbitraries.oneOf(
            Arbitraries.longs()
                .between(BASE, BASE + 100_000_000)
                .map(base -> Tuple.of(Calendar.ALWAYS, base)),
            Scenarios.hours()
                .map(hours -> Tuple.of(hours.get1().calendar(), Micros.ceil(hours.get2()))));
    Arbitrary<Long> sizes =
        Arbitraries.of(1_000L, SIZE, 600_000_000L, 1_234_567_891L, 7 * 3_600_000_000L);
    return Combinators.combine(
            times,
            sizes,
            Arbitraries.integers().between(1, 9),
            Arbitraries.of(Spread.class),
            Arbitraries.integers().between(-1, 12),
            Arbitraries.integers().between(-2, 5))
        .flatAs(
            (time, size, max, spread, delay, pause) -> {
              SlotPolicy policy =
                  PolicyTimes.policy(
                      max,
                      size,
                      spread,
                      delay < 0 ? PolicyTimes.UNBOUNDED : delay * size / 2,
                      NotBefore.REQUESTED,
                      time.get1(),
                      pause < 0 ? PolicyTimes.NOT_PAUSED : time.get2() + pause * size / 3);
              return demands(policy, time.get2()).map(demands -> new Stage(policy, demands));
            });
  }

  private static Arbitrary<List<Demand>> demands(SlotPolicy policy, long base) {
    return Combinators.combine(
            Arbitraries.integers().between(0, 12), Arbitraries.integers().between(1, 25))
        .as(
            (windows, events) ->
                new Demand(
                    policy.windowStart(base) + windows * policy.windowMicros(), (long) events))
        .list()
        .ofMaxSize(8)
        .map(list -> list.stream().sorted(Comparator.comparingLong(Demand::fromMicros)).toList());
  }
}
