package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The planner compared with the scanning oracle. */
class PlannerLawsTest {
  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void answersLikeAScanOfAllPlaces(@ForAll("evenly") Scenario scenario) {
    Replay replay = new Replay(scenario, new Subject.Complete(scenario.policy(), new Random(1)));
    for (Scenario.Step step : scenario.steps()) {
      replay.play(step);
      replay.checkRuns(true);
    }
    replay.checkStoredWindows();
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void answersLikeAScanWithOpeningHours(@ForAll("evenlyInHours") Scenario scenario) {
    Replay replay = new Replay(scenario, new Subject.Complete(scenario.policy(), new Random(1)));
    for (Scenario.Step step : scenario.steps()) {
      replay.play(step);
      replay.checkRuns(true);
    }
    replay.checkStoredWindows();
  }

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void answersTheSameFromPages(@ForAll("evenly") Scenario scenario, @ForAll long seed) {
    fromPages(scenario, seed);
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void answersTheSameFromPagesWithOpeningHours(
      @ForAll("evenlyInHours") Scenario scenario, @ForAll long seed) {
    fromPages(scenario, seed);
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void givesRandomTimesInTheEarliestWindowWithAShareLeft(
      @ForAll("atRandom") Scenario scenario, @ForAll long seed) {
    Replay replay = new Replay(scenario, new Subject.Complete(scenario.policy(), new Random(seed)));
    for (Scenario.Step step : scenario.steps()) {
      replay.play(step);
      replay.checkRuns(true);
    }
  }

  @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
  void givesRandomTimesWithinOpeningHours(
      @ForAll("atRandomInHours") Scenario scenario, @ForAll long seed) {
    Replay replay = new Replay(scenario, new Subject.Complete(scenario.policy(), new Random(seed)));
    for (Scenario.Step step : scenario.steps()) {
      replay.play(step);
      replay.checkRuns(true);
    }
  }

  @Property(tries = 40, edgeCases = EdgeCasesMode.NONE)
  void givesRandomTimesFromPages(@ForAll("atRandomInHours") Scenario scenario, @ForAll long seed) {
    fromPages(scenario, seed);
  }

  /** Cancelled events are left out: their places are assigned again, at the same times. */
  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void keepsTheSpreadBound(@ForAll("evenly") Scenario scenario) {
    Replay replay = new Replay(scenario, new Subject.Complete(scenario.policy(), new Random(1)));
    int max = scenario.policy().maxPerWindow();
    for (Scenario.Step step : scenario.steps()) {
      replay.play(step);
      max = Math.max(max, replay.oracle().policy().maxPerWindow());
    }
    double perMicro = (double) max / scenario.policy().windowMicros();
    double extra = Math.log(max) / Math.log(2) / 3 + 1;
    long[] times =
        replay.events().stream()
            .mapToLong(held -> held.placed().scheduledMicros())
            .sorted()
            .toArray();
    for (int first = 0; first < times.length; first++) {
      for (int last = first; last < times.length; last++) {
        // A time is a place rounded down to the microsecond.
        double bound = (times[last] - times[first] + 1) * perMicro + extra;
        assertThat((double) (last - first + 1)).isLessThanOrEqualTo(bound + 1e-9);
      }
      if (first > 0) {
        assertThat(times[first] - times[first - 1])
            .isGreaterThanOrEqualTo(scenario.policy().windowMicros() / (2L * max));
      }
    }
  }

  private static void fromPages(Scenario scenario, long seed) {
    Random random = new Random(seed);
    SlotPolicy policy = scenario.policy();
    long barrier =
        random.nextBoolean() || scenario.steps().isEmpty()
            ? Long.MIN_VALUE
            : policy.windowStart(someTime(scenario)) + random.nextInt(4) * policy.windowMicros();
    Replay replay = new Replay(scenario, new Subject.Paged(policy, barrier, random));
    for (Scenario.Step step : scenario.steps()) {
      replay.play(step);
    }
    replay.checkStoredWindows();
    replay.checkRuns(false);
    replay.checkNoRunCrosses(barrier);
  }

  private static long someTime(Scenario scenario) {
    return scenario.steps().stream()
        .filter(Scenario.Step.Request.class::isInstance)
        .map(Scenario.Step.Request.class::cast)
        .mapToLong(request -> request.request().requestedMicros())
        .findFirst()
        .orElse(0);
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

  @Provide
  Arbitrary<Scenario> atRandomInHours() {
    return Scenarios.openingHours(Spread.RANDOM);
  }
}
