package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import dev.weir.slots.planning.internal.Forecast.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class ForecastTest {
  private static final long TEN_MILLION = 10_000_000;
  private static final long SIZE = 4_000_000;
  private static final SlotPolicy POLICY = SlotPolicy.of(100, Duration.ofSeconds(4));

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void predictsWhenTheLastEventRuns(
      @ForAll("evenly") Scenario scenario, @ForAll @IntRange(min = 1, max = 200) int events) {
    checkAgainstAssigning(scenario, events);
  }

  @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
  void predictsWhenTheLastEventRunsWithinOpeningHours(
      @ForAll("evenlyInHours") Scenario scenario,
      @ForAll @IntRange(min = 1, max = 200) int events) {
    checkAgainstAssigning(scenario, events);
  }

  @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
  void predictsTheWindowOfTheLastEventAtRandom(
      @ForAll("atRandom") Scenario scenario, @ForAll @IntRange(min = 1, max = 200) int events) {
    checkAgainstAssigning(scenario, events);
  }

  private static void checkAgainstAssigning(Scenario scenario, int events) {
    Subject.Complete subject = new Subject.Complete(scenario.policy(), new Random(1));
    Subject.Paged paged = new Subject.Paged(scenario.policy(), Long.MIN_VALUE, new Random(events));
    Replay replay = new Replay(scenario, subject);
    scenario.steps().forEach(replay::play);
    SlotPolicy policy = replay.oracle().policy();
    paged.change(
        policy, replay.oracle().taken().keySet().stream().map(replay.oracle()::window).toList());
    PlacementRequest request = request(scenario);
    subject.stored();

    Outcome result = new Forecast(policy, request, events).step(subject.view());

    assertThat(subject.view().drainChanges().isEmpty()).as("assigns nothing").isTrue();
    assertThat(paged.step(new Forecast(policy, request, events))).isEqualTo(result);
    Outcome happened = assign(subject, request, events);
    if (policy.spread() == Spread.RANDOM
        && result instanceof Outcome.Completion forecast
        && happened instanceof Outcome.Completion actual) {
      assertThat(actual.windowStartMicros()).isEqualTo(forecast.windowStartMicros());
      assertThat(actual.scheduledMicros()).isLessThanOrEqualTo(forecast.scheduledMicros());
    } else {
      assertThat(result).as("%s", request).isEqualTo(happened);
    }
  }

  private static Outcome assign(Subject subject, PlacementRequest request, int events) {
    long window = Long.MIN_VALUE;
    long scheduled = Long.MIN_VALUE;
    for (int i = 0; i < events; i++) {
      if (!(subject.place(request) instanceof Placement.Placed placed)) {
        return new Outcome.NoCapacity(i);
      }
      window = Math.max(window, placed.windowStartMicros());
      scheduled = Math.max(scheduled, placed.scheduledMicros());
    }
    return new Outcome.Completion(window, scheduled);
  }

  private static PlacementRequest request(Scenario scenario) {
    return scenario.steps().stream()
        .filter(Scenario.Step.Request.class::isInstance)
        .map(Scenario.Step.Request.class::cast)
        .map(Scenario.Step.Request::request)
        .reduce(new PlacementRequest(0, 0), (first, second) -> second);
  }

  @Example
  void countsTenMillionEventsOnAnEmptyViewByDivision() {
    Outcome outcome =
        new Forecast(POLICY, new PlacementRequest(0, 0), TEN_MILLION)
            .step(OccupancyView.empty(POLICY));
    // The last of a hundred places in the order of time is at 63/64.
    assertThat(outcome).isEqualTo(new Outcome.Completion(99_999 * SIZE, 99_999 * SIZE + 3_937_500));
  }

  @Example
  void countsTenMillionEventsBehindABacklogByDivision() {
    long backlog = 1_000_000 * SIZE;
    Window partial = new Window(backlog);
    for (int place = 0; place < 40; place++) {
      partial.take(place);
    }
    OccupancyView view = new OccupancyView(POLICY);
    view.add(Page.allFrom(0, List.of(partial), List.of(new Page.Run(0, backlog))));
    Outcome outcome = new Forecast(POLICY, new PlacementRequest(1, 0), TEN_MILLION).step(view);
    // 60 in the partial window, 99,999 whole windows, and 40 in the last, up to 31/32 of it.
    long last = backlog + 100_000 * SIZE;
    assertThat(outcome).isEqualTo(new Outcome.Completion(last, last + 3_875_000));
  }

  @Example
  void countsTenMillionEventsThroughOpeningHours() {
    SlotPolicy office =
        POLICY.withCalendar(
            Scenarios.daily("UTC", Duration.ofHours(9), Duration.ofHours(17)).calendar());
    Instant from = Instant.parse("2026-06-01T00:00:00Z");
    Outcome outcome =
        new Forecast(office, new PlacementRequest(Micros.ceil(from), 0), TEN_MILLION)
            .step(OccupancyView.empty(office));
    // 720,000 a day for 13 days, and 6,400 windows on the next.
    long last = Micros.ceil(Instant.parse("2026-06-14T09:00:00Z")) + 6_399 * SIZE;
    assertThat(outcome).isEqualTo(new Outcome.Completion(last, last + 3_937_500));
  }

  /** Otherwise a caller who names a billion events would have all opening times until 9999 read. */
  @Example
  void endsAfterABoundedNumberOfOpeningTimes() {
    SlotPolicy daily =
        SlotPolicy.of(1, Duration.ofHours(1))
            .withCalendar(
                Scenarios.daily("UTC", Duration.ofHours(9), Duration.ofHours(17)).calendar());
    Instant from = Instant.parse("2026-06-01T00:00:00Z");
    Outcome outcome =
        new Forecast(daily, new PlacementRequest(Micros.ceil(from), 0), 1_000_000_000)
            .step(OccupancyView.empty(daily));
    Instant nextDay = from.plus(Duration.ofDays(Forecast.MAX_STEPS)).plus(Duration.ofHours(9));
    assertThat(outcome)
        .isEqualTo(new Outcome.Beyond(Micros.ceil(nextDay), 8L * Forecast.MAX_STEPS));
  }

  @Example
  void countsTheMaxNumberOfEvents() {
    Outcome outcome =
        new Forecast(POLICY, new PlacementRequest(Micros.LATEST - SIZE + 1, 0), Long.MAX_VALUE)
            .step(OccupancyView.empty(POLICY));
    assertThat(outcome).isEqualTo(new Outcome.NoCapacity(100));
  }

  @Example
  void countsWhatFitsIntoTheMaxDelay() {
    SlotPolicy hour = POLICY.withMaxDelay(Duration.ofHours(1));
    // Nine hundred windows, and the place right at the end.
    assertThat(
            new Forecast(hour, new PlacementRequest(0, 0), TEN_MILLION)
                .step(OccupancyView.empty(hour)))
        .isEqualTo(new Outcome.NoCapacity(90_001));
    assertThat(
            new Forecast(hour, new PlacementRequest(0, 0), 90_001).step(OccupancyView.empty(hour)))
        .isEqualTo(new Outcome.Completion(900 * SIZE, 900 * SIZE));
  }

  @Example
  void requestsThePageThatItLacks() {
    OccupancyView view = new OccupancyView(POLICY);
    Forecast forecast = new Forecast(POLICY, new PlacementRequest(0, 0), 250);
    assertThat(forecast.step(view)).isEqualTo(new Outcome.Unknown(0));
    view.add(new Page(0, 2 * SIZE, List.of(), List.of()));
    assertThat(forecast.step(view)).isEqualTo(new Outcome.Unknown(2 * SIZE));
    view.add(new Page(2 * SIZE, 3 * SIZE, List.of(), List.of()));
    assertThat(forecast.step(view))
        .isEqualTo(new Outcome.Completion(2 * SIZE, 2 * SIZE + 3_875_000));
  }

  @Example
  void refusesLessThanOneEvent() {
    assertThatThrownBy(() -> new Forecast(POLICY, new PlacementRequest(0, 0), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("events must be at least 1, not 0");
  }

  @Provide
  Arbitrary<Scenario> evenly() {
    return Scenarios.alwaysOpen(Spread.EVEN);
  }

  @Provide
  Arbitrary<Scenario> evenlyInHours() {
    return Scenarios.openingHours(Spread.EVEN);
  }

  @Provide
  Arbitrary<Scenario> atRandom() {
    return Scenarios.alwaysOpen(Spread.RANDOM);
  }
}
