package dev.weir.store.jdbc.slots;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether something that is dear to prepare for is to be expected: for a while after it was met.
 * Thread-safe.
 */
final class AdaptiveHint {
  private final int calmAfter;
  private final AtomicInteger batchesToPrepare = new AtomicInteger();

  /**
   * @param calmAfter so many batches that were prepared and did not meet it, and it is no longer
   *     expected
   */
  AdaptiveHint(int calmAfter) {
    this.calmAfter = calmAfter;
  }

  boolean expected() {
    return batchesToPrepare.get() > 0;
  }

  /** A batch met it. */
  void met() {
    batchesToPrepare.set(calmAfter);
  }

  /** A batch was prepared for it, and met it or not. */
  void wasPrepared(boolean met) {
    if (met) {
      met();
    } else {
      batchesToPrepare.updateAndGet(left -> Math.max(0, left - 1));
    }
  }
}
