package dev.weir.server.metrics;

import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleCounters;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import java.util.EnumMap;
import java.util.Map;

/** The counters of one rule, or of several rules that share a label. Thread-safe. */
final class DecisionCounters implements RuleCounters {
  private final EnumMap<Kind, CounterDataPoint> counts;
  private final RefusedChecks refused;

  /**
   * Creates the counters.
   *
   * @param counts the kinds that are counted; others are ignored
   * @param refused receives the checks that are refused
   */
  DecisionCounters(Map<Kind, CounterDataPoint> counts, RefusedChecks refused) {
    this.counts = new EnumMap<>(counts);
    this.refused = refused;
  }

  @Override
  public void count(Kind outcome) {
    CounterDataPoint count = counts.get(outcome);
    if (count != null) {
      count.inc();
    }
  }

  @Override
  public void refused(RuleCheck check) {
    refused.offer(check);
  }

  /** Returns the counts so far. */
  DecisionCounts read() {
    DecisionCounts sums = new DecisionCounts();
    counts.forEach((kind, count) -> sums.add(kind, count.getLongValue()));
    return sums;
  }
}
