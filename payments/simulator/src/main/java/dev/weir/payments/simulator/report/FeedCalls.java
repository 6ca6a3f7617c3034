package dev.weir.payments.simulator.report;

import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.simulator.calls.CallStatistics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The calls of a feed as their callers recorded them, for a downstream whose own record cannot be
 * read.
 */
public final class FeedCalls {
  private static final int MAX_COLUMNS = 512;

  private FeedCalls() {}

  /** The number of calls in the interval that begins at a time. */
  public record CallCount(Instant from, long calls) {}

  /**
   * Returns the counts of a feed's calls.
   *
   * @param counts the calls of each interval that has any, in order
   * @param interval the length of these intervals, in whole seconds
   * @param maxInSecond the max number of calls in any sliding second
   * @param tooMany the number of calls that the downstream found too many
   */
  public static CallStatistics statistics(
      FeedCounts feed, List<CallCount> counts, Duration interval, int maxInSecond, long tooMany) {
    long seconds = interval.toSeconds();
    if (seconds < 1 || !interval.equals(Duration.ofSeconds(seconds))) {
      throw new IllegalArgumentException("interval must be whole seconds, not " + interval);
    }
    if (counts.isEmpty()) {
      return new CallStatistics(
          0,
          Map.of(),
          feed.paid(),
          0,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          seconds,
          List.of());
    }
    Instant first = counts.getFirst().from();
    Instant end = counts.getLast().from().plus(interval);
    long secondsPerColumn =
        seconds * Math.ceilDiv(Duration.between(first, end).toSeconds(), seconds * MAX_COLUMNS);
    return new CallStatistics(
        counts.stream().mapToLong(CallCount::calls).sum(),
        Map.of(CallResult.ABOVE_CEILING, tooMany),
        feed.paid(),
        maxInSecond,
        Optional.empty(),
        Optional.of(first),
        Optional.of(end),
        secondsPerColumn,
        columns(counts, first, end, secondsPerColumn));
  }

  private static List<CallStatistics.Column> columns(
      List<CallCount> counts, Instant first, Instant end, long secondsPerColumn) {
    long span = Duration.between(first, end).toSeconds();
    long[] calls = new long[(int) Math.ceilDiv(span, secondsPerColumn)];
    for (CallCount count : counts) {
      calls[(int) (Duration.between(first, count.from()).toSeconds() / secondsPerColumn)] +=
          count.calls();
    }
    List<CallStatistics.Column> columns = new ArrayList<>(calls.length);
    for (int i = 0; i < calls.length; i++) {
      columns.add(
          new CallStatistics.Column(
              first.plusSeconds(i * secondsPerColumn), calls[i], OptionalInt.empty()));
    }
    return columns;
  }
}
