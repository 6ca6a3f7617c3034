package dev.weir.payments.simulator.report;

import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.simulator.calls.CallStatistics;
import dev.weir.payments.simulator.calls.CallTally;
import java.time.Instant;

/** Runs to report about. */
final class Runs {
  static final Instant START = Instant.parse("2026-06-01T12:00:00Z");

  private Runs() {}

  /** Calls at an even rate. */
  static CallStatistics even(int perSecond, int seconds) {
    CallTally tally = new CallTally();
    for (int i = 0; i < perSecond * seconds; i++) {
      tally.add(START.plusNanos(i * 1_000_000_000L / perSecond), CallResult.PAID, true);
    }
    return tally.statistics();
  }

  /** Calls at an even rate, with a burst of refused ones in the middle. */
  static CallStatistics burst(int perSecond, int seconds) {
    CallTally tally = new CallTally();
    for (int i = 0; i < perSecond * seconds; i++) {
      Instant at = START.plusNanos(i * 1_000_000_000L / perSecond);
      tally.add(at, CallResult.PAID, true);
      if (i == perSecond * seconds / 2) {
        for (int j = 0; j < perSecond / 2; j++) {
          tally.add(at, CallResult.ABOVE_CEILING, false);
        }
      }
    }
    return tally.statistics();
  }
}
