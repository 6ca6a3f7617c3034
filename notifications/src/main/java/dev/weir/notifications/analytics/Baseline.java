package dev.weir.notifications.analytics;

import java.util.Arrays;
import java.util.Optional;

/**
 * The usual range of a user's rate, from counts of past windows.
 *
 * <p>Its center is the median, and its width follows from the median absolute deviation (MAD): up
 * to half of the windows may be arbitrarily wrong, such as those of an attack last week, and the
 * range still shows what is usual. Mean and standard deviation would be moved by one of them.
 *
 * <p>A rate that was always the same has a deviation of 0, and each change would be unusual. So the
 * deviation is at least the one that random arrivals of that rate have, the square root of the
 * median, and at least 1.
 *
 * @param median the median of the counts
 * @param from the lowest usual count, at least 0
 * @param to the highest usual count
 */
public record Baseline(double median, double from, double to) {
  /** Makes the MAD of normally distributed values an estimate of their standard deviation. */
  private static final double MAD_TO_DEVIATION = 1.4826;

  /** The usual threshold for outliers by median and MAD. */
  private static final double MAX_DEVIATIONS = 3.5;

  /** With fewer windows in which the user sent anything, nothing is usual yet. */
  static final int MIN_ACTIVE_WINDOWS = 4;

  /** How a count compares with the usual range. */
  public enum Rate {
    LOW,
    USUAL,
    HIGH
  }

  /** Returns the baseline of past counts; empty if the user was active in too few windows. */
  static Optional<Baseline> of(long[] counts) {
    if (Arrays.stream(counts).filter(count -> count > 0).count() < MIN_ACTIVE_WINDOWS) {
      return Optional.empty();
    }
    double median = median(Arrays.stream(counts).asDoubleStream().toArray());
    double mad = median(Arrays.stream(counts).mapToDouble(x -> Math.abs(x - median)).toArray());
    double deviation = Math.max(MAD_TO_DEVIATION * mad, Math.max(Math.sqrt(median), 1));
    double width = MAX_DEVIATIONS * deviation;
    return Optional.of(new Baseline(median, Math.max(0, median - width), median + width));
  }

  public Rate rate(long count) {
    if (count > to) {
      return Rate.HIGH;
    }
    return count < from ? Rate.LOW : Rate.USUAL;
  }

  /** Returns the median; of an even number of values, the mean of the two in the middle. */
  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
}
