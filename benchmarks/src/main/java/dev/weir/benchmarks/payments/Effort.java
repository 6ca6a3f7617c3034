package dev.weir.benchmarks.payments;

/**
 * The extent of the measurements.
 *
 * @param rounds how often each side is measured, in turns
 * @param records the number of records of a feed
 * @param starts the number of workflows that each side starts
 */
record Effort(int rounds, int records, int starts) {
  static Effort of(boolean quick) {
    return quick ? new Effort(1, 100_000, 2_000) : new Effort(3, 1_000_000, 10_000);
  }
}
