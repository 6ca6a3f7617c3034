package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.time.Duration;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class PeakRateTest {
  @Example
  void isTheAverageWhenASecondIsAHalfOrAQuarterOfTheWindow() {
    assertThat(peak(100, Duration.ofSeconds(4))).isEqualTo(25);
    assertThat(peak(200, Duration.ofSeconds(4))).isEqualTo(50);
    assertThat(peak(50, Duration.ofSeconds(1))).isEqualTo(50);
    assertThat(peak(100_000, Duration.ofSeconds(1))).isEqualTo(100_000);
  }

  @Example
  void isLittleMoreThanTheAverageOtherwise() {
    assertThat(peak(1, Duration.ofSeconds(4))).isEqualTo(1);
    assertThat(peak(60, Duration.ofMinutes(1))).isEqualTo(2);
    assertThat(peak(85, Duration.ofSeconds(4))).isEqualTo(22);
    assertThat(peak(100, Duration.ofSeconds(3))).isEqualTo(35);
    assertThat(peak(341, Duration.ofSeconds(10))).isEqualTo(36);
    assertThat(peak(1_000, Duration.ofSeconds(7))).isEqualTo(144);
  }

  @Example
  void staysUnderACeilingOf50At46ASecond() {
    for (int seconds = 1; seconds <= 60; seconds++) {
      assertThat(peak(46 * seconds, Duration.ofSeconds(seconds))).isBetween(46L, 50L);
    }
  }

  @Property(tries = 150)
  void isTheMaxOfAnySecond(
      @ForAll @IntRange(min = 1, max = 40) int max,
      @ForAll("sizes") long size,
      @ForAll long anyBegin) {
    int windows = (int) (2 * Micros.PER_SECOND / size) + 3;
    long[] times = new long[windows * max];
    for (int i = 0; i < times.length; i++) {
      times[i] = i / max * size + NaivePlanner.offsetMicros(i % max, size);
    }
    Arrays.sort(times);
    int highest = 0;
    for (int begin = 0; begin < max; begin++) {
      highest = Math.max(highest, countInSecond(times, times[begin]));
    }
    long peak = PeakRate.perSecond(SlotPolicy.of(max, Micros.duration(size)));
    assertThat(peak).isEqualTo(highest);
    // A densest second begins with an event, but no other second may be denser either.
    assertThat((long) countInSecond(times, Math.floorMod(anyBegin, size)))
        .isLessThanOrEqualTo(peak);
  }

  @Example
  void isWhatChanceCouldDoAtRandom() {
    // Two windows meet inside the second, each with all of its events there.
    assertThat(peakAtRandom(100, Duration.ofSeconds(4))).isEqualTo(200);
    assertThat(peakAtRandom(100, Duration.ofSeconds(1))).isEqualTo(200);
    assertThat(peakAtRandom(100, Duration.ofMillis(500))).isEqualTo(300);
    assertThat(peakAtRandom(1, Duration.ofMillis(400))).isEqualTo(4);
    assertThat(peakAtRandom(1, Duration.ofNanos(999_999_000))).isEqualTo(2);
    assertThat(peakAtRandom(1, Duration.ofNanos(999_998_000))).isEqualTo(3);
  }

  private static int countInSecond(long[] times, long begin) {
    int count = 0;
    for (long time : times) {
      count += time >= begin && time < begin + Micros.PER_SECOND ? 1 : 0;
    }
    return count;
  }

  private static long peak(int max, Duration window) {
    return PeakRate.perSecond(SlotPolicy.of(max, window));
  }

  private static long peakAtRandom(int max, Duration window) {
    return PeakRate.perSecond(SlotPolicy.of(max, window).withSpread(Spread.RANDOM));
  }

  @Provide
  Arbitrary<Long> sizes() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(20_000, 4_000_000),
        Arbitraries.of(
            250_000L, 333_333L, 500_000L, 999_999L, 1_000_000L, 1_000_001L, 60_000_000L));
  }
}
