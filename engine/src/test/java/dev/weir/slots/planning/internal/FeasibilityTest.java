package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Violation;
import dev.weir.internal.Micros;
import dev.weir.slots.Calendar;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class FeasibilityTest {
  private static final long NOW = Micros.ceil(Instant.parse("2026-06-01T12:00:00Z"));

  private static Calendar mondays(String from, String until) {
    return new OpeningHours(
        ZoneOffset.UTC,
        Map.of(
            DayOfWeek.MONDAY,
            List.of(OpeningHours.Hours.of(LocalTime.parse(from), LocalTime.parse(until)))),
        Set.of());
  }

  private static void assertWrong(String field, SlotPolicy policy) {
    assertThat(Feasibility.problem(policy, NOW)).map(Violation::field).contains(field);
  }

  private static void assertPossible(SlotPolicy policy) {
    assertThat(Feasibility.problem(policy, NOW)).isEmpty();
  }

  @Test
  void calendarMustBeOpenAtAPlace() {
    SlotPolicy hourly = SlotPolicy.of(1, Duration.ofHours(1));

    assertWrong("calendar", hourly.withCalendar(mondays("09:10", "09:50")));
    assertPossible(hourly.withCalendar(mondays("09:00", "09:50")));
    // The second place is at half past.
    assertPossible(SlotPolicy.of(2, Duration.ofHours(1)).withCalendar(mondays("09:10", "09:50")));
  }

  @Test
  void calendarMustBeOpenForAShareOfAWindow() {
    SlotPolicy random = SlotPolicy.of(1, Duration.ofHours(1)).withSpread(Spread.RANDOM);

    assertWrong("calendar", random.withCalendar(mondays("09:10", "09:50")));
    assertWrong("calendar", random.withCalendar(mondays("09:10", "10:50")));
    assertPossible(random.withCalendar(mondays("09:00", "10:00")));
  }

  @Test
  void pauseMustEndInTime() {
    SlotPolicy policy = SlotPolicy.of(1, Duration.ofSeconds(4));

    assertWrong("pausedUntil", policy.withPausedUntil(Micros.instant(Micros.LATEST)));
    assertPossible(policy.withPausedUntil(Micros.instant(Micros.LATEST - 3_999_999)));
  }

  @Test
  void delayMustCoverAShareOfAWindowWherePlacesAreRandom() {
    SlotPolicy random = SlotPolicy.of(3, Duration.ofSeconds(4)).withSpread(Spread.RANDOM);
    SlotPolicy shortest = random.withMaxDelay(Micros.duration(1_333_333));

    assertPossible(shortest);
    assertWrong("maxDelay", random.withMaxDelay(Micros.duration(1_333_332)));
    // And it is sufficient: an event gets a place with it.
    assertThat(
            Planner.place(OccupancyView.empty(shortest), new PlacementRequest(NOW, NOW), () -> 0L))
        .isInstanceOf(Placement.Placed.class);
  }

  @Test
  void evenPlacesNeedNoDelay() {
    assertPossible(SlotPolicy.of(1, Duration.ofHours(1)).withMaxDelay(Duration.ZERO));
  }
}
