package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.slots.NotBefore;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.time.Duration;
import java.time.Instant;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class WindowCapacityTest {
  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void isTheSumOfTheWindowsThatStartInTheSpan(
      @ForAll("hours") Tuple2<NaiveHours, Instant> hours,
      @ForAll("sizes") long size,
      @ForAll @IntRange(min = 1, max = 9) int max,
      @ForAll Spread spread,
      @ForAll @IntRange(min = -1, max = 40) int pauseHours,
      @ForAll @LongRange(min = 0, max = 200_000_000_000L) long length) {
    long from = Micros.ceil(hours.get2()) - 3_600_000_001L;
    long pausedUntil = pauseHours < 0 ? PolicyTimes.NOT_PAUSED : from + pauseHours * 3_600_000_000L;
    SlotPolicy policy =
        PolicyTimes.policy(
            max,
            size,
            spread,
            PolicyTimes.UNBOUNDED,
            NotBefore.REQUESTED,
            hours.get1().calendar(),
            pausedUntil);

    long sum = 0;
    for (long start = policy.windowStart(from); start < from + length; start += size) {
      if (start >= from) {
        sum +=
            Availability.count(
                policy, new Window(start), new TimeSpan(pausedUntil, Micros.LATEST + 1));
      }
    }
    assertThat(WindowCapacity.between(policy, from, from + length)).isEqualTo(sum);
  }

  @Example
  void isCountedByDivisionWhereItIsAlwaysOpen() {
    SlotPolicy policy = SlotPolicy.of(3, Duration.ofMillis(1));
    assertThat(WindowCapacity.between(policy, Micros.EARLIEST, Micros.LATEST + 1))
        .isEqualTo((Micros.LATEST + 1 - Micros.EARLIEST) / 1_000 * 3);
  }

  @Example
  void aPauseToTheEndOfTimeLeavesNothing() {
    SlotPolicy policy =
        SlotPolicy.of(3, Duration.ofMillis(1)).withPausedUntil(Micros.instant(Micros.LATEST - 500));
    assertThat(WindowCapacity.between(policy, 0, Micros.LATEST - 1_000)).isZero();
  }

  @Provide
  Arbitrary<Tuple2<NaiveHours, Instant>> hours() {
    return Scenarios.hours();
  }

  @Provide
  Arbitrary<Long> sizes() {
    return Arbitraries.of(
        60_000_000L, 600_000_000L, 1_234_567_891L, 3_600_000_000L, 25_200_000_000L);
  }
}
