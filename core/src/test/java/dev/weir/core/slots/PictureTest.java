package dev.weir.core.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PictureTest {
  private static final long HOUR = 3_600_000_000L;

  /**
   * Hours were introduced while events lay in what is now closed time. Their windows are no part of
   * the search, and must not get in the way of what is read later.
   */
  @Test
  void keepsFullWindowsFullWhenEventsLieInClosedTime() {
    Terms always = Terms.of(1, Duration.ofHours(1));
    Terms terms =
        always.withCalendar(
            Scenarios.daily("UTC", Duration.ofHours(12), Duration.ofHours(10)).calendar());
    StoredBook stored = new StoredBook();
    Picture rebuilt = Picture.empty(terms);
    for (long hour : List.of(11L, 12L)) {
      Window window = new Window(hour * HOUR);
      window.take(0);
      rebuilt.put(window);
    }
    stored.apply(rebuilt.drainChanges());

    Picture picture = new Picture(terms);
    picture.add(stored.page(terms, 9 * HOUR, 1));
    assertThat(place(picture, 9)).isEqualTo(new Placement.Placed(9 * HOUR, 0, 9 * HOUR, 0));
    assertThat(place(picture, 9)).isEqualTo(new Placement.Unknown(12 * HOUR));
    picture.add(stored.page(terms, 12 * HOUR, 2));
    assertThat(place(picture, 9)).isEqualTo(new Placement.Placed(13 * HOUR, 0, 13 * HOUR, 4));
  }

  private static Placement place(Picture picture, long hour) {
    return Planner.place(picture, new Wish(hour * HOUR, 0), new Random(1));
  }
}
