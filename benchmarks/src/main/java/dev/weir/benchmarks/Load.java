package dev.weir.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * The results of one load run.
 *
 * @param calls the number of calls counted
 * @param perSecond calls per second over all callers
 * @param p50Millis the median latency
 * @param p99Millis the 99th percentile of the latency
 */
public record Load(long calls, double perSecond, double p50Millis, double p99Millis) {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  static Load from(Histogram latencies, Duration measured) {
    return new Load(
        latencies.getTotalCount(),
        latencies.getTotalCount() * NANOS_PER_SECOND / measured.toNanos(),
        latencies.getValueAtPercentile(50) / NANOS_PER_MILLI,
        latencies.getValueAtPercentile(99) / NANOS_PER_MILLI);
  }

  /** Returns the medians of several runs, each value separately; the calls are summed. */
  public static Load median(List<Load> loads) {
    return new Load(
        loads.stream().mapToLong(Load::calls).sum(),
        medianOf(loads, Load::perSecond),
        medianOf(loads, Load::p50Millis),
        medianOf(loads, Load::p99Millis));
  }

  private static double medianOf(List<Load> loads, ToDoubleFunction<Load> value) {
    return Rounds.median(loads.stream().map(value::applyAsDouble).toList());
  }
}
