package dev.weir.payments.simulator.report;

/** An axis of counts that begins at 0, with up to six lines at round numbers. */
final class CountScale {
  private static final int MAX_STEPS = 5;

  private final long step;
  private final long max;

  /**
   * Creates a scale with some space above a count.
   *
   * @param count the largest count to show
   */
  CountScale(long count) {
    long shown = Math.max(1, count + Math.ceilDiv(count, 8));
    this.step = roundStep(Math.ceilDiv(shown, MAX_STEPS));
    this.max = Math.ceilDiv(shown, step) * step;
  }

  long step() {
    return step;
  }

  long max() {
    return max;
  }

  /** Returns the first of 1, 2, 5, 10, 20, 50, … that is not smaller. */
  private static long roundStep(long atLeast) {
    long power = 1;
    while (true) {
      for (long factor : new long[] {1, 2, 5}) {
        if (factor * power >= atLeast) {
          return factor * power;
        }
      }
      power *= 10;
    }
  }
}
