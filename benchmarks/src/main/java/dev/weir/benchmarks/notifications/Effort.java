package dev.weir.benchmarks.notifications;

import dev.weir.benchmarks.LoadRun;
import java.time.Duration;

/**
 * The extent of the measurements.
 *
 * @param rounds how often each side is measured, in turns
 * @param rehearsed how long each side runs before the first round, uncounted
 */
record Effort(int rounds, Duration rehearsed, Duration warmUp, Duration measured) {
  static Effort of(boolean quick) {
    return quick
        ? new Effort(1, Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ofSeconds(3))
        : new Effort(5, Duration.ofSeconds(30), Duration.ofSeconds(2), Duration.ofSeconds(5));
  }

  LoadRun load(int callers) {
    return new LoadRun(callers, warmUp, measured);
  }

  LoadRun rehearsal(int callers) {
    return new LoadRun(callers, Duration.ZERO, rehearsed);
  }
}
