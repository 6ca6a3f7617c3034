package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.SlotPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OccupancyViewTest {
  private static final long HOUR = 3_600_000_000L;

  /**
   * Hours were introduced while events were in what is now closed time. Their windows are not part
   * of the search, and must not conflict with pages that are read later.
   */
  @Test
  void keepsFullWindowsFullWhenEventsLieInClosedTime() {
    SlotPolicy always = SlotPolicy.of(1, Duration.ofHours(1));
    SlotPolicy policy =
        always.withCalendar(
            Scenarios.daily("UTC", Duration.ofHours(12), Duration.ofHours(10)).calendar());
    StoredWindows stored = new StoredWindows();
    OccupancyView rebuilt = OccupancyView.empty(policy);
    for (long hour : List.of(11L, 12L)) {
      Window window = new Window(hour * HOUR);
      window.take(0);
      rebuilt.put(window);
    }
    stored.apply(rebuilt.drainChanges());

    OccupancyView view = new OccupancyView(policy);
    view.add(stored.page(policy, 9 * HOUR, 1));
    assertThat(place(view, 9)).isEqualTo(new Placement.Placed(9 * HOUR, 0, 9 * HOUR, 0));
    assertThat(place(view, 9)).isEqualTo(new Placement.Unknown(12 * HOUR));
    view.add(stored.page(policy, 12 * HOUR, 2));
    assertThat(place(view, 9)).isEqualTo(new Placement.Placed(13 * HOUR, 0, 13 * HOUR, 4));
  }

  /** Counts known windows and windows to be written once each, whatever happens to them. */
  @Test
  void countsTheMemoryOfWhatItHolds() {
    SlotPolicy policy = SlotPolicy.of(100_000, Duration.ofHours(1));
    OccupancyView view = OccupancyView.empty(policy);
    long empty = view.heapBytes();
    for (int hour = 0; hour < 10; hour++) {
      place(view, hour);
    }
    long small = view.heapBytes();
    assertThat(small).isGreaterThan(empty);
    for (int hour = 0; hour < 10; hour++) {
      Window large = new Window(hour * HOUR);
      large.take(99_999);
      view.put(large);
      view.put(large);
    }

    assertThat(view.heapBytes() - small).isBetween(10 * 12_500L - 1_000, 10 * 12_500L + 1_000);
    view.drainChanges();
    assertThat(view.heapBytes() - empty).isBetween(10 * 12_500L, 10 * 13_000L);
    view.forgetUnchanged();
    assertThat(view.heapBytes()).isLessThanOrEqualTo(empty);
    assertThat(place(view, 1)).isEqualTo(new Placement.Unknown(HOUR));
  }

  @Test
  void countsFullWindowsUntilTheyAreWritten() {
    OccupancyView view = OccupancyView.empty(SlotPolicy.of(1, Duration.ofHours(1)));
    long empty = view.heapBytes();
    for (int hour = 0; hour < 1_000; hour++) {
      place(view, hour);
    }
    assertThat(view.heapBytes() - empty).isGreaterThan(100_000);

    view.drainChanges();

    assertThat(view.heapBytes() - empty).isLessThan(100);
  }

  /** Unwritten windows are kept and take precedence over what is read again. */
  @Test
  void forgetsOnlyWhatCanBeReadAgain() {
    SlotPolicy policy = SlotPolicy.of(2, Duration.ofHours(1));
    StoredWindows stored = new StoredWindows();
    OccupancyView view = new OccupancyView(policy);
    view.add(stored.page(policy, 0, 5));
    assertThat(place(view, 1)).isEqualTo(new Placement.Placed(HOUR, 0, HOUR, 0));
    for (int place = 0; place < 2; place++) {
      assertThat(place(view, 2)).isInstanceOf(Placement.Placed.class);
    }

    view.forgetUnchanged();

    assertThat(place(view, 1)).isEqualTo(new Placement.Unknown(HOUR));
    view.add(stored.page(policy, 0, 5));
    assertThat(place(view, 1)).isEqualTo(new Placement.Placed(HOUR, 1, HOUR + HOUR / 2, 0));
    assertThat(place(view, 2)).isEqualTo(new Placement.Placed(3 * HOUR, 0, 3 * HOUR, 1));
  }

  private static Placement place(OccupancyView view, long hour) {
    return Planner.place(view, new PlacementRequest(hour * HOUR, 0), new Random(1));
  }
}
