package dev.weir.workflows.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class ClockWatchTest {
  private Duration elapsed = Duration.ofDays(3);
  private Duration ahead = Duration.ZERO;

  private final ClockWatch watch =
      new ClockWatch(
          () -> Instant.parse("2026-06-01T12:00:00Z").plus(elapsed).plus(ahead),
          () -> elapsed.toNanos());

  private void lookAfter(Duration time) {
    elapsed = elapsed.plus(time);
    watch.look();
  }

  @Test
  void timeThatPassesSetsNoClock() {
    lookAfter(Duration.ofMillis(200));
    lookAfter(Duration.ofDays(2));
    assertThat(watch.wasSet()).isFalse();
  }

  @Test
  void clockThatIsCorrectedSlowlyIsNotSet() {
    for (int i = 0; i < 10_000; i++) {
      ahead = ahead.plusMillis(1);
      lookAfter(Duration.ofMillis(200));
    }
    assertThat(watch.wasSet()).isFalse();
  }

  @Test
  void noticesAClockThatWasAheadForAMoment() {
    ahead = Duration.ofHours(1);
    lookAfter(Duration.ofMillis(200));
    ahead = Duration.ZERO;
    lookAfter(Duration.ofMillis(200));
    assertThat(watch.wasSet()).isTrue();
  }

  @Test
  void noticesAClockThatIsSetBack() {
    ahead = Duration.ofSeconds(-2);
    lookAfter(Duration.ofMillis(200));
    assertThat(watch.wasSet()).isTrue();
  }
}
