package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.slots.NotBefore;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.SlotPolicy;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PlannerTest {
  private static final long SECOND = 1_000_000;
  private static final long SIZE = 4 * SECOND;
  private static final long NOON = 1_780_315_200 * SECOND;
  private static final SlotPolicy POLICY = SlotPolicy.of(100, Duration.ofSeconds(4));

  private final Random random = new Random(1);

  @Test
  void assignsTheRequestedTimeToASingleEvent() {
    assertThat(place(OccupancyView.empty(POLICY), NOON))
        .isEqualTo(new Placement.Placed(NOON, 0, NOON, 0));
  }

  @Test
  void givesOnlyWhatIsLeftOfAWindow() {
    OccupancyView view = OccupancyView.empty(POLICY);
    for (int event = 0; event < 25; event++) {
      Placement.Placed placed = placed(view, NOON + 3 * SECOND);
      assertThat(placed.windowStartMicros()).isEqualTo(NOON);
      assertThat(placed.scheduledMicros()).isGreaterThanOrEqualTo(NOON + 3 * SECOND);
    }
    assertThat(placed(view, NOON + 3 * SECOND).windowStartMicros()).isEqualTo(NOON + SIZE);
  }

  @Test
  void fillsAWindowToItsLastPlaceFromDifferentRequests() {
    OccupancyView view = OccupancyView.empty(POLICY);
    TreeSet<Long> times = new TreeSet<>();
    for (int quarter = 3; quarter >= 0; quarter--) {
      for (int event = 0; event < 25; event++) {
        Placement.Placed placed = placed(view, NOON + quarter * SECOND);
        assertThat(placed.windowStartMicros()).isEqualTo(NOON);
        times.add(placed.scheduledMicros());
      }
    }
    assertThat(times).hasSize(100);
    assertThat(placed(view, NOON)).isEqualTo(new Placement.Placed(NOON + SIZE, 0, NOON + SIZE, 1));
  }

  @Test
  void hasMorePlacesWhenTheLimitIsRaisedAndNoneWhenItIsLowered() {
    Window window = windowWith(80);
    OccupancyView raised = viewOf(SlotPolicy.of(200, Duration.ofSeconds(4)), window.copy());
    for (int event = 0; event < 120; event++) {
      assertThat(placed(raised, NOON).windowStartMicros()).isEqualTo(NOON);
    }
    assertThat(placed(raised, NOON).windowStartMicros()).isEqualTo(NOON + SIZE);
    OccupancyView lowered = viewOf(SlotPolicy.of(50, Duration.ofSeconds(4)), window.copy());
    assertThat(placed(lowered, NOON).windowStartMicros()).isEqualTo(NOON + SIZE);
    assertThat(Availability.count(lowered.policy(), window, TimeSpan.ALL)).isZero();
  }

  @Test
  void looksPastTheRequestedTimeWhenItMayNotBeBeforeNow() {
    OccupancyView view = OccupancyView.empty(POLICY.withNotBefore(NotBefore.NOW));
    PlacementRequest past = new PlacementRequest(NOON - 1_000 * SECOND, NOON);
    assertThat(Planner.place(view, past, random)).isEqualTo(new Placement.Placed(NOON, 0, NOON, 0));
    PlacementRequest ahead = new PlacementRequest(NOON + SIZE, NOON);
    assertThat(Planner.place(view, ahead, random))
        .isEqualTo(new Placement.Placed(NOON + SIZE, 0, NOON + SIZE, 0));
  }

  @Test
  void givesNothingWhilePaused() {
    OccupancyView view =
        OccupancyView.empty(POLICY.withPausedUntil(Micros.instant(NOON + 9 * SECOND)));
    Placement.Placed placed = placed(view, NOON);
    assertThat(placed.scheduledMicros()).isGreaterThanOrEqualTo(NOON + 9 * SECOND);
    assertThat(placed.windowStartMicros()).isEqualTo(NOON + 2 * SIZE);
    assertThat(placed.lookahead()).isZero();
  }

  @Test
  void returnsWhenAPlaceIsFreeIfTheDelayIsTooLong() {
    SlotPolicy brief = SlotPolicy.of(1, Duration.ofSeconds(4)).withMaxDelay(Duration.ofSeconds(7));
    OccupancyView view = OccupancyView.empty(brief);
    assertThat(placed(view, NOON).scheduledMicros()).isEqualTo(NOON);
    assertThat(placed(view, NOON).scheduledMicros()).isEqualTo(NOON + SIZE);
    assertThat(place(view, NOON)).isEqualTo(new Placement.NoCapacity(NOON + 2 * SIZE));
    assertThat(placed(view, NOON + SECOND).scheduledMicros()).isEqualTo(NOON + 2 * SIZE);
  }

  @Test
  void allowsTheWholeDelayAndNoMore() {
    SlotPolicy policy = SlotPolicy.of(1, Duration.ofSeconds(4)).withMaxDelay(Duration.ofSeconds(3));
    assertThat(placed(OccupancyView.empty(policy), NOON + SECOND).scheduledMicros())
        .isEqualTo(NOON + SIZE);
    assertThat(place(OccupancyView.empty(policy), NOON + SECOND - 1))
        .isEqualTo(new Placement.NoCapacity(NOON + SIZE));
  }

  @Test
  void takesNothingWhenNoPlaceIsFreeOrAPageIsMissing() {
    OccupancyView view = new OccupancyView(POLICY.withMaxDelay(Duration.ZERO));
    assertThat(place(view, NOON)).isEqualTo(new Placement.Unknown(NOON));
    view.add(Page.allFrom(NOON, List.of(), List.of()));
    assertThat(place(view, NOON + 1)).isInstanceOf(Placement.NoCapacity.class);
    assertThat(view.drainChanges().isEmpty()).isTrue();
  }

  @Test
  void endsWhereTimeEnds() {
    // The last window has places beyond the range of times.
    OccupancyView view = OccupancyView.empty(SlotPolicy.of(1_024, Duration.ofDays(31)));
    assertThat(place(view, Micros.LATEST)).isEqualTo(new Placement.NoCapacity(TimeSpan.NEVER));
    SlotPolicy second = SlotPolicy.of(1, Duration.ofSeconds(1));
    OccupancyView seconds = OccupancyView.empty(second);
    long last = Micros.LATEST - SECOND + 1;
    assertThat(placed(seconds, last).scheduledMicros()).isEqualTo(last);
    assertThat(place(seconds, last)).isEqualTo(new Placement.NoCapacity(TimeSpan.NEVER));
  }

  @Test
  void schedulesNothingInTheHourThatTheClockLeavesOut() {
    NaiveHours nights = Scenarios.daily("Europe/Berlin", Duration.ofHours(1), Duration.ofHours(4));
    SlotPolicy policy = SlotPolicy.of(4, Duration.ofMinutes(7)).withCalendar(nights.calendar());
    OccupancyView view = OccupancyView.empty(policy);
    List<Long> times = new ArrayList<>();
    for (int event = 0; event < 150; event++) {
      times.add(placed(view, micros("2026-03-28T22:00:00Z")).scheduledMicros());
    }
    assertThat(times).allMatch(nights::test);
    // On that night there are two hours, from one to two and from three to four.
    long dawn = micros("2026-03-29T02:00:00Z");
    assertThat(times.stream().filter(time -> time < dawn))
        .hasSizeBetween(66, 70)
        .allMatch(time -> time >= micros("2026-03-29T00:00:00Z"));
  }

  /** So the search takes the same few look-ups, however long the backlog. */
  @Test
  void keepsAnyNumberOfFullWindowsAsOneRun() {
    for (int backlog : new int[] {10, 1_000_000}) {
      OccupancyView view = OccupancyView.empty(POLICY);
      for (int window = 0; window < backlog; window++) {
        view.markFull(NOON + window * SIZE);
      }
      assertThat(view.drainChanges().addedRuns())
          .containsExactly(new Page.Run(NOON, NOON + backlog * SIZE));
      assertThat(view.heapBytes()).isLessThan(300);
      assertThat(placed(view, NOON + SIZE).lookahead()).isEqualTo(backlog - 1);
    }
  }

  @Test
  void mergesRunsWhateverTheOrderInWhichWindowsFill() {
    SlotPolicy one = SlotPolicy.of(1, Duration.ofSeconds(4));
    OccupancyView view = OccupancyView.empty(one);
    for (int step : new int[] {4, 2, 1}) {
      for (int window = 0; window < 10_000; window += step) {
        placed(view, NOON + window * SIZE);
      }
    }
    assertThat(view.drainChanges().addedRuns())
        .first()
        .extracting(Page.Run::fromMicros)
        .isEqualTo(NOON);
    assertThat(view.heapBytes()).isLessThan(300);
    assertThat(view.firstNotFull(NOON)).isGreaterThanOrEqualTo(NOON + 10_000 * SIZE);
  }

  private Placement place(OccupancyView view, long requestedMicros) {
    return Planner.place(view, new PlacementRequest(requestedMicros, 0), random);
  }

  private Placement.Placed placed(OccupancyView view, long requestedMicros) {
    return (Placement.Placed) place(view, requestedMicros);
  }

  private static Window windowWith(int events) {
    Window window = new Window(NOON);
    for (int place = 0; place < events; place++) {
      window.take(place);
    }
    return window;
  }

  private static OccupancyView viewOf(SlotPolicy policy, Window window) {
    OccupancyView view = OccupancyView.empty(policy);
    view.put(window);
    return view;
  }

  private static long micros(String time) {
    return Micros.ceil(Instant.parse(time));
  }

  @Test
  void givesUpOnACalendarThatIsNeverOpenAtAPlace() {
    // The only place of each window is at an even second, and only an odd one is open.
    OpeningHours oddSecond =
        new OpeningHours(
            ZoneOffset.UTC,
            Map.of(DayOfWeek.MONDAY, List.of(new OpeningHours.Hours(36_001, 36_002))),
            Set.of());
    SlotPolicy policy = SlotPolicy.of(1, Duration.ofSeconds(2)).withCalendar(oddSecond);
    OccupancyView view = OccupancyView.empty(policy);
    PlacementRequest request = new PlacementRequest(0, 0);

    assertThat(Planner.place(view, request, new Random(1)))
        .isEqualTo(new Placement.NoCapacity(TimeSpan.NEVER));
    assertThat(new Forecast(policy, request, 1).step(view))
        .isEqualTo(new Forecast.Outcome.NoCapacity(0));
  }
}
