package dev.weir.payments.simulator.calls;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/**
 * Calls over time, in columns of whole seconds. There is a bounded number of columns: when the time
 * becomes too long for them, two neighbours become one, so a day of calls takes as much memory as a
 * minute. Not thread-safe.
 */
final class CallTimeline {
  /** Even, so that columns can be merged in pairs; about what a chart can show. */
  static final int MAX_COLUMNS = 512;

  private final long[] calls = new long[MAX_COLUMNS];
  private final int[] peaks = new int[MAX_COLUMNS];
  private long firstSecond;
  private long secondsPerColumn = 1;
  private int used;

  /**
   * Adds a call that is not before any other.
   *
   * @param inSecond the number of calls in the sliding second that ends with this one
   */
  void add(Instant at, int inSecond) {
    if (used == 0) {
      firstSecond = at.getEpochSecond();
    }
    while (column(at) >= MAX_COLUMNS) {
      merge();
    }
    int column = (int) column(at);
    used = column + 1;
    calls[column]++;
    peaks[column] = Math.max(peaks[column], inSecond);
  }

  long secondsPerColumn() {
    return secondsPerColumn;
  }

  List<CallStatistics.Column> columns() {
    List<CallStatistics.Column> columns = new ArrayList<>(used);
    for (int i = 0; i < used; i++) {
      columns.add(
          new CallStatistics.Column(
              Instant.ofEpochSecond(firstSecond + i * secondsPerColumn),
              calls[i],
              OptionalInt.of(peaks[i])));
    }
    return columns;
  }

  private long column(Instant at) {
    return (at.getEpochSecond() - firstSecond) / secondsPerColumn;
  }

  private void merge() {
    for (int i = 0; i < MAX_COLUMNS / 2; i++) {
      calls[i] = calls[2 * i] + calls[2 * i + 1];
      peaks[i] = Math.max(peaks[2 * i], peaks[2 * i + 1]);
    }
    Arrays.fill(calls, MAX_COLUMNS / 2, MAX_COLUMNS, 0);
    Arrays.fill(peaks, MAX_COLUMNS / 2, MAX_COLUMNS, 0);
    used = (used + 1) / 2;
    secondsPerColumn *= 2;
  }
}
