package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.internal.Places;
import java.util.Arrays;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The bound of the spread: any interval of length L holds at most L × max / size + log2(max) / 3 +
 * 1 events, across window borders too.
 *
 * <p>Let p(i) be the i-th place in the order of time, as a fraction of a window and on through all
 * windows. The closed interval from p(i) to p(j) holds j − i + 1 events, which is f(j) − f(i) + 1
 * more than its share, with f(i) = i − max × p(i). As f has the period max, the worst interval of
 * all has max f − min f + 1 above its share. Everything is counted in whole units of 2^−20.
 */
class SpreadBoundTest {
  private static final long UNIT = 1L << 20;

  @Test
  void holdsForEveryLimitUpTo4096() {
    for (int max = 1; max <= 4_096; max++) {
      assertThat(extra(max)).as("max %d", max).isLessThanOrEqualTo(bound(max));
    }
  }

  @Test
  void holdsForSamplesUpTo100000AndTheLargest() {
    TreeSet<Integer> sample = new TreeSet<>();
    for (int worst : new int[] {2_731, 5_461, 10_923, 21_845, 43_691, 87_381}) {
      sample.addAll(Arrays.asList(worst - 1, worst, worst + 1));
    }
    for (int power = 4_096; power <= 65_536; power *= 2) {
      sample.addAll(Arrays.asList(power - 1, power, power + 1));
    }
    for (int max = 4_099; max <= 100_000; max += 997) {
      sample.add(max);
    }
    sample.addAll(Arrays.asList(100_000, 699_051, Places.COUNT - 1, Places.COUNT));
    for (int max : sample) {
      assertThat(extra(max)).as("max %d", max).isLessThanOrEqualTo(bound(max));
    }
  }

  @Test
  void isTightForTheWorstLimits() {
    for (int max : new int[] {85, 171, 341, 683, 1_365, 2_731}) {
      assertThat(extra(max)).as("max %d", max).isCloseTo(bound(max), within(0.03));
    }
  }

  @Test
  void isMuchBetterForManyLimits() {
    assertThat(bound(100)).isCloseTo(3.2, within(0.05));
    assertThat(bound(1_000)).isCloseTo(4.3, within(0.05));
    assertThat(extra(100)).isCloseTo(2.3, within(0.05));
    assertThat(extra(1_024)).isEqualTo(1.0);
  }

  @Test
  void isWhatCountingEveryIntervalOfThreeWindowsGives() {
    for (int max = 1; max <= 70; max++) {
      long[] ranks = ranks(max);
      long worst = Long.MIN_VALUE;
      for (int begin = 0; begin < max; begin++) {
        for (int end = begin; end < 3 * max; end++) {
          long from = at(ranks, begin);
          long until = at(ranks, end);
          worst = Math.max(worst, countWithin(ranks, from, until) * UNIT - (until - from) * max);
        }
      }
      assertThat(extraUnits(max)).as("max %d", max).isEqualTo(worst);
    }
  }

  private static long countWithin(long[] ranks, long from, long until) {
    long count = 0;
    for (int i = 0; i < 3 * ranks.length; i++) {
      count += at(ranks, i) >= from && at(ranks, i) <= until ? 1 : 0;
    }
    return count;
  }

  private static long at(long[] ranks, int index) {
    return ranks[index % ranks.length] + index / ranks.length * UNIT;
  }

  private static double bound(int max) {
    return Math.log(max) / Math.log(2) / 3 + 1 + 1e-9;
  }

  private static double extra(int max) {
    return (double) extraUnits(max) / UNIT;
  }

  private static long extraUnits(int max) {
    long[] ranks = ranks(max);
    long lowest = Long.MAX_VALUE;
    long highest = Long.MIN_VALUE;
    for (int i = 0; i < max; i++) {
      long f = i * UNIT - max * ranks[i];
      lowest = Math.min(lowest, f);
      highest = Math.max(highest, f);
    }
    return highest - lowest + UNIT;
  }

  /** The places of a window in the order of time; a window of 2^20 µs puts them on whole units. */
  private static long[] ranks(int max) {
    long[] ranks = new long[max];
    for (int place = 0; place < max; place++) {
      ranks[place] = Places.offsetMicros(place, UNIT);
    }
    Arrays.sort(ranks);
    return ranks;
  }
}
