package dev.weir.payments.simulator.calls;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Counts of the calls that a downstream received.
 *
 * @param calls the number of all calls, whatever their result
 * @param results the number of calls by their result, as far as it is known
 * @param booked the number of payments that were booked
 * @param maxInSecond the max number of calls in any sliding second
 * @param maxInSecondEnd the end of the first second with that many calls, if it is known
 * @param first when the first call arrived; empty without calls
 * @param last when the last call arrived; empty without calls
 * @param secondsPerColumn the length of each column
 * @param columns the calls over time, without gaps
 */
public record CallStatistics(
    long calls,
    Map<CallResult, Long> results,
    long booked,
    int maxInSecond,
    Optional<Instant> maxInSecondEnd,
    Optional<Instant> first,
    Optional<Instant> last,
    long secondsPerColumn,
    List<Column> columns) {
  public CallStatistics {
    results = Map.copyOf(results);
    columns = List.copyOf(columns);
  }

  /**
   * The calls of a few seconds.
   *
   * @param start when these seconds begin
   * @param calls the number of calls
   * @param peak the max number of calls in a sliding second that ended here, if it is known
   */
  public record Column(Instant start, long calls, OptionalInt peak) {}

  /** Returns the number of calls with a result. */
  public long count(CallResult result) {
    return results.getOrDefault(result, 0L);
  }

  /** Returns the time between the first and the last call. */
  public Duration duration() {
    return first.isPresent() ? Duration.between(first.get(), last.orElseThrow()) : Duration.ZERO;
  }

  /** Returns true if no sliding second had more than this number of calls. */
  public boolean within(int ceiling) {
    return maxInSecond <= ceiling;
  }
}
