package dev.weir.benchmarks.limits;

import dev.weir.benchmarks.LoadRun;
import java.time.Duration;

/**
 * The extent of the measurements.
 *
 * @param rounds how often each side is measured, in turns
 */
record Effort(boolean isQuick, int rounds, Duration warmUp, Duration measured) {
  static Effort of(boolean quick) {
    return quick
        ? new Effort(true, 1, Duration.ofMillis(500), Duration.ofMillis(500))
        : new Effort(false, 3, Duration.ofSeconds(2), Duration.ofSeconds(5));
  }

  LoadRun load(int callers) {
    return new LoadRun(callers, warmUp, measured);
  }
}
