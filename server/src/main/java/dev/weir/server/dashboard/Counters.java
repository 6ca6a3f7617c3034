package dev.weir.server.dashboard;

import dev.weir.limits.AcquireResult;
import dev.weir.rules.RuleCounters;
import dev.weir.server.metrics.DecisionCounts;
import dev.weir.server.metrics.GatewayMetrics;
import dev.weir.server.metrics.Latencies;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.metrics.SlotMetrics;
import java.util.EnumMap;
import java.util.Map;

/**
 * What is read from the metrics for a sample. Counters only grow, so the difference of two readings
 * is what happened between them; nothing has to be counted for the dashboard.
 */
final class Counters {
  private static final double MEDIAN = 0.5;
  private static final double TAIL = 0.99;

  private final LimitMetrics limits;
  private final SlotMetrics slots;
  private final GatewayMetrics gateway;

  Counters(LimitMetrics limits, SlotMetrics slots, GatewayMetrics gateway) {
    this.limits = limits;
    this.slots = slots;
    this.gateway = gateway;
  }

  Reading read() {
    Map<AcquireResult.Mode, Long> modes = new EnumMap<>(AcquireResult.Mode.class);
    for (AcquireResult.Mode mode : AcquireResult.Mode.values()) {
      modes.put(mode, limits.decidedIn(mode));
    }
    return new Reading(
        limits.ofRules(),
        limits.ofResources(),
        modes,
        limits.waiting(),
        slots.counts(),
        slots.times().read(),
        limits.checkTimes().read(),
        gateway.times().read());
  }

  /** All counters at a time. */
  record Reading(
      DecisionCounts ofRules,
      DecisionCounts ofResources,
      Map<AcquireResult.Mode, Long> modes,
      long waiting,
      SlotMetrics.Counts slots,
      Latencies.Reading slotTimes,
      Latencies.Reading checkTimes,
      Latencies.Reading gatewayTimes) {

    /** Returns what happened since an earlier reading, as the sample of a second. */
    Sample since(Reading earlier, long second) {
      Sample sample = new Sample(second);
      DecisionCounts decided = ofRules.since(earlier.ofRules);
      DecisionCounts ofThose = ofResources.since(earlier.ofResources);
      for (RuleCounters.Kind kind : RuleCounters.Kind.values()) {
        sample.set(Series.of(kind), decided.of(kind) + ofThose.of(kind));
      }
      modes.forEach(
          (mode, count) ->
              sample.set(Series.of(mode), count - earlier.modes.getOrDefault(mode, 0L)));
      times(sample, slotTimes, earlier.slotTimes, Series.SLOT_P50, Series.SLOT_P99);
      times(sample, checkTimes, earlier.checkTimes, Series.CHECK_P50, Series.CHECK_P99);
      times(sample, gatewayTimes, earlier.gatewayTimes, Series.GATEWAY_P50, Series.GATEWAY_P99);
      return sample
          .set(Series.SLOTS_ASSIGNED, slots.assigned() - earlier.slots.assigned())
          .set(Series.SLOTS_REPLAYED, slots.replayed() - earlier.slots.replayed())
          .set(Series.SLOTS_REFUSED, slots.refused() - earlier.slots.refused())
          .set(Series.SLOTS_FAILED, slots.failed() - earlier.slots.failed())
          .set(Series.SLOTS_WAITING, Math.max(0, slots.waiting()))
          .set(Series.WAITING, Math.max(0, waiting));
    }

    private static void times(
        Sample sample,
        Latencies.Reading later,
        Latencies.Reading earlier,
        Series median,
        Series tail) {
      sample
          .set(median, later.percentileSince(earlier, MEDIAN))
          .set(tail, later.percentileSince(earlier, TAIL));
    }
  }
}
