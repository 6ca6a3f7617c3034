package dev.weir.http.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Micros;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TimeTextTest {
  private static Instant anyTime(Random random) {
    Instant time = Micros.instant(random.nextLong(Micros.EARLIEST, Micros.LATEST + 1));
    return switch (random.nextInt(4)) {
      case 0 -> time;
      case 1 -> time.truncatedTo(ChronoUnit.SECONDS);
      case 2 -> time.truncatedTo(ChronoUnit.MILLIS);
      default -> time.plusNanos(random.nextInt(1_000));
    };
  }

  @Test
  void readsWhatTheJdkWrites() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      Instant time = anyTime(random);
      assertThat(TimeText.parse(time.toString())).isEqualTo(time);
    }
  }

  @Test
  void writesWhatTheJdkWrites() {
    Random random = new Random(2);
    for (int i = 0; i < 20_000; i++) {
      Instant time = anyTime(random);
      assertThat(TimeText.of(time)).isEqualTo(time.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-0001-12-31T23:59:59.999999999Z",
        "0000-01-01T00:00:00Z",
        "0000-02-29T00:00:00.000000001Z",
        "1969-12-31T23:59:59.999Z",
        "1970-01-01T00:00:00Z",
        "2026-06-01T12:00:00.120Z",
        "2026-06-01T12:00:00.000010Z",
        "9999-12-31T23:59:59.999999999Z",
        "+10000-01-01T00:00:00Z"
      })
  void writesTimesAtTheEndsAsTheJdkDoes(String text) {
    assertThat(TimeText.of(Instant.parse(text))).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999Z",
        "2024-02-29T12:00:00.5Z",
        "2026-06-01T12:00:00.123456789Z",
        "2026-06-01T12:00:00.12Z",
        "2026-06-01T12:00:00+02:00",
        "2026-06-01t12:00:00z",
        "-0001-06-01T12:00:00Z",
        "+12026-06-01T12:00:00Z"
      })
  void readsWhatTheJdkReads(String text) {
    assertThat(TimeText.parse(text)).isEqualTo(Instant.parse(text));
  }

  /**
   * The JDK reads a leap second as the second before, the hour 24 as the next day, and accepts a
   * point without digits.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "2016-12-31T23:59:60Z",
        "2026-06-01T24:00:00Z",
        "2026-06-01t24:00:00.0z",
        "2026-06-01T24:00:00+02:00",
        "2016-12-31T23:59:60.5Z",
        "2017-01-01T01:59:60+02:00",
        "2026-06-01T12:00:00.Z",
        "2026-06-01t12:00:00.z",
        "2026-06-01T14:00:00.+02:00"
      })
  void refusesWhatTheJdkWouldReadAsAnotherTime(String text) {
    assertThatThrownBy(() -> TimeText.parse(text)).isInstanceOf(DateTimeException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Z",
        "2026-06-01",
        "2026-02-29T12:00:00Z",
        "2026-13-01T12:00:00Z",
        "2026-00-01T12:00:00Z",
        "2026-06-00T12:00:00Z",
        "2026-06-01T12:00:00",
        "2026-06-01T12:00:00.1234567890Z",
        "2026-06-01T25:00:00Z",
        "2026-06-01T12:60:00Z",
        "2026-06-01T12:00:61Z",
        "2026-06-01 12:00:00Z",
        "2026-06-01T12:00:0-Z",
        "2026-06-01T12:00:00.-1Z",
        "２０２６-06-01T12:00:00Z"
      })
  void refusesWhatTheJdkRefuses(String text) {
    assertThatThrownBy(() -> Instant.parse(text)).isInstanceOf(DateTimeException.class);
    assertThatThrownBy(() -> TimeText.parse(text)).isInstanceOf(DateTimeException.class);
  }
}
