package dev.weir.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class MicrosTest {
  @Example
  void roundsTimesUpSoThatNothingIsAnsweredTooEarly() {
    assertThat(Micros.ceil(Instant.ofEpochSecond(1, 0))).isEqualTo(1_000_000);
    assertThat(Micros.ceil(Instant.ofEpochSecond(1, 1))).isEqualTo(1_000_001);
    assertThat(Micros.ceil(Instant.ofEpochSecond(1, 1_000))).isEqualTo(1_000_001);
    assertThat(Micros.ceil(Instant.ofEpochSecond(1, 1_001))).isEqualTo(1_000_002);
    assertThat(Micros.ceil(Instant.ofEpochSecond(1, 999_999_999))).isEqualTo(2_000_000);
  }

  @Example
  void roundsTimesUpBeforeTheEpochToo() {
    assertThat(Micros.ceil(Instant.ofEpochSecond(0, -1))).isEqualTo(0);
    assertThat(Micros.ceil(Instant.ofEpochSecond(0, -1_000))).isEqualTo(-1);
    assertThat(Micros.ceil(Instant.ofEpochSecond(0, -1_001))).isEqualTo(-1);
    assertThat(Micros.ceil(Instant.ofEpochSecond(-1, 500))).isEqualTo(-999_999);
  }

  @Example
  void knowsBothEndsOfItsRange() {
    assertThat(Micros.instant(Micros.EARLIEST)).isEqualTo(Instant.parse("0001-01-01T00:00:00Z"));
    assertThat(Micros.instant(Micros.LATEST))
        .isEqualTo(Instant.parse("9999-12-31T23:59:59.999999Z"));
    assertThat(Micros.inRange(Micros.EARLIEST)).isTrue();
    assertThat(Micros.inRange(Micros.EARLIEST - 1)).isFalse();
    assertThat(Micros.inRange(Micros.LATEST)).isTrue();
    assertThat(Micros.inRange(Micros.LATEST + 1)).isFalse();
  }

  @Example
  void judgesEveryInstantWithoutOverflow() {
    assertThat(Micros.inRange(Instant.MIN)).isFalse();
    assertThat(Micros.inRange(Instant.MAX)).isFalse();
    assertThat(Micros.inRange(Micros.instant(Micros.EARLIEST))).isTrue();
    assertThat(Micros.inRange(Micros.instant(Micros.EARLIEST).minusNanos(1))).isFalse();
    assertThat(Micros.inRange(Micros.instant(Micros.LATEST))).isTrue();
    // It would be rounded up to a time out of range.
    assertThat(Micros.inRange(Micros.instant(Micros.LATEST).plusNanos(1))).isFalse();
  }

  @Example
  void clampsEveryInstantIntoItsRange() {
    assertThat(Micros.clamped(Instant.MIN)).isEqualTo(Micros.EARLIEST);
    assertThat(Micros.clamped(Instant.MAX)).isEqualTo(Micros.LATEST);
    assertThat(Micros.clamped(Micros.instant(Micros.LATEST).plusNanos(1))).isEqualTo(Micros.LATEST);
    assertThat(Micros.clamped(Instant.ofEpochSecond(5))).isEqualTo(5_000_000);
  }

  @Example
  void refusesTimesThatDoNotFit() {
    assertThatThrownBy(() -> Micros.ceil(Instant.MAX)).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> Micros.ceil(Instant.MIN)).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> Micros.floor(Duration.ofSeconds(Long.MAX_VALUE)))
        .isInstanceOf(ArithmeticException.class);
  }

  @Example
  void roundsDurationsDown() {
    assertThat(Micros.floor(Duration.ofNanos(1_999))).isEqualTo(1);
    assertThat(Micros.floor(Duration.ofNanos(-1))).isEqualTo(-1);
    assertThat(Micros.floor(Duration.ofNanos(-1_000))).isEqualTo(-1);
    assertThat(Micros.floor(Duration.ofNanos(-1_001))).isEqualTo(-2);
  }

  @Property
  void returnsToTheSameMicrosecond(
      @ForAll @LongRange(min = Micros.EARLIEST, max = Micros.LATEST) long micros) {
    assertThat(Micros.ceil(Micros.instant(micros))).isEqualTo(micros);
    assertThat(Micros.floor(Micros.duration(micros))).isEqualTo(micros);
    assertThat(Micros.ceil(Micros.instant(micros).minusNanos(999))).isEqualTo(micros);
  }
}
