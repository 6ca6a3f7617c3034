package dev.weir.benchmarks.slots;

import dev.weir.benchmarks.LoadRun;
import java.time.Duration;

/**
 * The extent of the measurements.
 *
 * @param rounds how often each side is measured, in turns
 * @param bulkEvents the number of events loaded in bulk
 * @param deepWindows the number of full windows ahead in the deep case
 */
record Effort(int rounds, Duration warmUp, Duration measured, int bulkEvents, int deepWindows) {
  static Effort of(boolean quick) {
    return quick
        ? new Effort(1, Duration.ofSeconds(2), Duration.ofSeconds(3), 200_000, 200_000)
        : new Effort(3, Duration.ofSeconds(2), Duration.ofSeconds(6), 1_000_000, 1_000_000);
  }

  LoadRun load(int callers) {
    return new LoadRun(callers, warmUp, measured);
  }
}
