package dev.weir.benchmarks.gateway;

import java.time.Duration;

/**
 * The extent of the measurements.
 *
 * @param rounds how often each side is measured, in turns
 * @param waiting the number of requests that wait at the same time
 */
record Effort(int rounds, Duration warmUp, Duration measured, int waiting) {
  static Effort of(boolean quick) {
    return quick
        ? new Effort(1, Duration.ofSeconds(6), Duration.ofSeconds(3), 10_000)
        : new Effort(5, Duration.ofSeconds(15), Duration.ofSeconds(6), 10_000);
  }
}
