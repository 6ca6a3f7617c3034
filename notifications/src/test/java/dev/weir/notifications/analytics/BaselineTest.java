package dev.weir.notifications.analytics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class BaselineTest {
  @Property(tries = 1_000)
  void isWhatTheDefinitionSays(
      @ForAll @Size(min = 1, max = 101) List<@LongRange(min = 0, max = 100_000) Long> counts,
      @ForAll @LongRange(min = 0, max = 1_000_000) long count) {
    Assume.that(counts.stream().filter(past -> past > 0).count() >= 4);
    Baseline baseline = baseline(counts);
    BigDecimal median = naiveMedian(counts.stream().map(BigDecimal::valueOf).toList());
    BigDecimal mad =
        naiveMedian(
            counts.stream().map(past -> BigDecimal.valueOf(past).subtract(median).abs()).toList());
    double deviation =
        Math.max(1, Math.max(1.4826 * mad.doubleValue(), Math.sqrt(median.doubleValue())));
    double low = Math.max(0, median.doubleValue() - 3.5 * deviation);
    double high = median.doubleValue() + 3.5 * deviation;
    assertThat(baseline.median()).isEqualTo(median.doubleValue());
    assertThat(baseline.from()).isCloseTo(low, within(1e-6));
    assertThat(baseline.to()).isCloseTo(high, within(1e-6));
    Baseline.Rate expected =
        count > high ? Baseline.Rate.HIGH : count < low ? Baseline.Rate.LOW : Baseline.Rate.USUAL;
    assertThat(baseline.rate(count)).isEqualTo(expected);
  }

  /**
   * Removes the smallest and the largest value until one or two are left, without sorting: nothing
   * in common with the code.
   */
  private static BigDecimal naiveMedian(List<BigDecimal> values) {
    List<BigDecimal> left = new ArrayList<>(values);
    while (left.size() > 2) {
      left.remove(Collections.min(left));
      left.remove(Collections.max(left));
    }
    return left.size() == 1
        ? left.getFirst()
        : left.getFirst().add(left.getLast()).divide(BigDecimal.TWO);
  }

  @Property(tries = 1_000)
  void theOrderOfWindowsDoesNotMatter(
      @ForAll @Size(min = 4, max = 50) List<@LongRange(min = 1, max = 1_000) Long> counts,
      @ForAll long seed) {
    List<Long> shuffled = new ArrayList<>(counts);
    Collections.shuffle(shuffled, new Random(seed));
    assertThat(baseline(shuffled)).isEqualTo(baseline(counts));
  }

  /** Fewer than half of the windows cannot move the range beyond what the others contain. */
  @Property(tries = 1_000)
  void aMinorityOfOutliersDoesNotMoveTheMedianOutOfTheOthers(
      @ForAll @Size(min = 6, max = 40) List<@LongRange(min = 1, max = 1_000) Long> usual,
      @ForAll @Size(max = 5) List<@LongRange(min = 0, max = Integer.MAX_VALUE) Long> outliers) {
    List<Long> all = new ArrayList<>(usual);
    all.addAll(outliers);
    assertThat(baseline(all).median())
        .isBetween(Collections.min(usual).doubleValue(), Collections.max(usual).doubleValue());
  }

  @Test
  void aBurstIsHighAndSilenceIsLowAndAnOldAttackHidesNeither() {
    List<Long> counts = new ArrayList<>(Collections.nCopies(44, 100L));
    counts.addAll(Collections.nCopies(4, 50_000L));
    Baseline baseline = baseline(counts);
    assertThat(baseline.rate(110)).isEqualTo(Baseline.Rate.USUAL);
    assertThat(baseline.rate(90)).isEqualTo(Baseline.Rate.USUAL);
    assertThat(baseline.rate(200)).isEqualTo(Baseline.Rate.HIGH);
    assertThat(baseline.rate(0)).isEqualTo(Baseline.Rate.LOW);
  }

  @Test
  void nothingIsUsualWithFewerThanFourActiveWindows() {
    assertThat(Baseline.of(LongStream.of(0, 0, 0, 0, 0, 9, 9, 9).toArray())).isEmpty();
    assertThat(Baseline.of(LongStream.of(0, 0, 0, 0, 9, 9, 9, 9).toArray())).isPresent();
    assertThat(Baseline.of(new long[0])).isEmpty();
  }

  private static Baseline baseline(List<Long> counts) {
    return Baseline.of(counts.stream().mapToLong(Long::longValue).toArray()).orElseThrow();
  }
}
