package dev.weir.core.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OccupancyViewTest {
  private static final long HOUR = 3_600_000_000L;

  /**
   * Hours were introduced while events lay in what is now closed time. Their windows are no part of
   * the search, and must not get in the way of what is read later.
   */
  @Test
  void keepsFullWindowsFullWhenEventsLieInClosedTime() {
    SlotPolicy always = SlotPolicy.of(1, Duration.ofHours(1));
    SlotPolicy terms =
        always.withCalendar(
            Scenarios.daily("UTC", Duration.ofHours(12), Duration.ofHours(10)).calendar());
    StoredBook stored = new StoredBook();
    OccupancyView rebuilt = OccupancyView.empty(terms);
    for (long hour : List.of(11L, 12L)) {
      Window window = new Window(hour * HOUR);
      window.take(0);
      rebuilt.put(window);
    }
    stored.apply(rebuilt.drainChanges());

    OccupancyView picture = new OccupancyView(terms);
    picture.add(stored.page(terms, 9 * HOUR, 1));
    assertThat(place(picture, 9)).isEqualTo(new Placement.Placed(9 * HOUR, 0, 9 * HOUR, 0));
    assertThat(place(picture, 9)).isEqualTo(new Placement.Unknown(12 * HOUR));
    picture.add(stored.page(terms, 12 * HOUR, 2));
    assertThat(place(picture, 9)).isEqualTo(new Placement.Placed(13 * HOUR, 0, 13 * HOUR, 4));
  }

  /** Whatever happens to windows: what is known and what has yet to be written, each once. */
  @Test
  void countsTheMemoryOfWhatItHolds() {
    SlotPolicy terms = SlotPolicy.of(100_000, Duration.ofHours(1));
    OccupancyView picture = OccupancyView.empty(terms);
    long empty = picture.heapBytes();
    for (int hour = 0; hour < 10; hour++) {
      place(picture, hour);
    }
    long small = picture.heapBytes();
    assertThat(small).isGreaterThan(empty);
    for (int hour = 0; hour < 10; hour++) {
      Window large = new Window(hour * HOUR);
      large.take(99_999);
      picture.put(large);
      picture.put(large);
    }

    assertThat(picture.heapBytes() - small).isBetween(10 * 12_500L - 1_000, 10 * 12_500L + 1_000);
    picture.drainChanges();
    assertThat(picture.heapBytes() - empty).isBetween(10 * 12_500L, 10 * 13_000L);
    picture.forgetUnchanged();
    assertThat(picture.heapBytes()).isLessThanOrEqualTo(empty);
    assertThat(place(picture, 1)).isEqualTo(new Placement.Unknown(HOUR));
  }

  @Test
  void countsFullWindowsUntilTheyAreWritten() {
    OccupancyView picture = OccupancyView.empty(SlotPolicy.of(1, Duration.ofHours(1)));
    long empty = picture.heapBytes();
    for (int hour = 0; hour < 1_000; hour++) {
      place(picture, hour);
    }
    assertThat(picture.heapBytes() - empty).isGreaterThan(100_000);

    picture.drainChanges();

    assertThat(picture.heapBytes() - empty).isLessThan(100);
  }

  /** What has yet to be written stays, and counts more than what is read again. */
  @Test
  void forgetsOnlyWhatCanBeReadAgain() {
    SlotPolicy terms = SlotPolicy.of(2, Duration.ofHours(1));
    StoredBook stored = new StoredBook();
    OccupancyView picture = new OccupancyView(terms);
    picture.add(stored.page(terms, 0, 5));
    assertThat(place(picture, 1)).isEqualTo(new Placement.Placed(HOUR, 0, HOUR, 0));
    for (int place = 0; place < 2; place++) {
      assertThat(place(picture, 2)).isInstanceOf(Placement.Placed.class);
    }

    picture.forgetUnchanged();

    assertThat(place(picture, 1)).isEqualTo(new Placement.Unknown(HOUR));
    picture.add(stored.page(terms, 0, 5));
    assertThat(place(picture, 1)).isEqualTo(new Placement.Placed(HOUR, 1, HOUR + HOUR / 2, 0));
    assertThat(place(picture, 2)).isEqualTo(new Placement.Placed(3 * HOUR, 0, 3 * HOUR, 1));
  }

  private static Placement place(OccupancyView picture, long hour) {
    return Planner.place(picture, new PlacementRequest(hour * HOUR, 0), new Random(1));
  }
}
