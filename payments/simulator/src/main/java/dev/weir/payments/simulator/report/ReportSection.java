package dev.weir.payments.simulator.report;

import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.simulator.calls.CallStatistics;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * One run to report about.
 *
 * @param title what was run, such as the id of a feed or the kind of its ceiling
 * @param ceiling the max number of calls that any sliding second may have
 * @param feed the feed that was paid, whose callers recorded the calls; empty if the payment API
 *     recorded them
 */
public record ReportSection(
    String title, int ceiling, CallStatistics calls, Optional<FeedCounts> feed) {
  public ReportSection {
    if (ceiling < 1) {
      throw new IllegalArgumentException("ceiling must be at least 1, not " + ceiling);
    }
  }

  /** Returns in one sentence whether the ceiling held, with times of UTC. */
  String verdict() {
    return verdict(ZoneOffset.UTC);
  }

  String verdict(ZoneId zone) {
    if (calls.calls() == 0) {
      return "There were no calls.";
    }
    long refused = calls.count(CallResult.ABOVE_CEILING);
    if (feed.isPresent() && refused > 0) {
      // The callers know when they sent a call, and the payment API when it arrived.
      return "The ceiling of %s may not have held: the payment API refused %s as too many (429)."
          .formatted(Figures.count(ceiling, "call") + " a second", Figures.count(refused, "call"));
    }
    if (calls.within(ceiling)) {
      return "The ceiling of %s held: no sliding second had more than %s."
          .formatted(
              Figures.count(ceiling, "call") + " a second",
              Figures.count(calls.maxInSecond(), "call"));
    }
    return "The ceiling of %s was exceeded: %s had %s."
        .formatted(
            Figures.count(ceiling, "call") + " a second",
            calls
                .maxInSecondEnd()
                .map(end -> "the second that ended at " + Figures.time(end, zone))
                .orElse("a second"),
            Figures.count(calls.maxInSecond(), "call"));
  }
}
