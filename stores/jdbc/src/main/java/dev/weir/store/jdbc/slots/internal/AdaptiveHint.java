package dev.weir.store.jdbc.slots.internal;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A hint whether to expect an event that is expensive to prepare for: true for a while after the
 * event last occurred. Thread-safe.
 */
final class AdaptiveHint {
  private final int forgetAfter;
  private final AtomicInteger batchesToPrepare = new AtomicInteger();

  /**
   * @param forgetAfter number of prepared batches without the event after which it is no longer
   *     expected
   */
  AdaptiveHint(int forgetAfter) {
    this.forgetAfter = forgetAfter;
  }

  boolean isExpected() {
    return batchesToPrepare.get() > 0;
  }

  /** Records that the event occurred in a batch. */
  void occurred() {
    batchesToPrepare.set(forgetAfter);
  }

  /** Records whether the event occurred in a batch that was prepared for it. */
  void wasPrepared(boolean occurred) {
    if (occurred) {
      occurred();
    } else {
      batchesToPrepare.updateAndGet(left -> Math.max(0, left - 1));
    }
  }
}
