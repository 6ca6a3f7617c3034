package dev.weir.store.jdbc;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether events that have a slot already are to be expected. Feeds are mostly new, and then a
 * look-up before the write is half a batch's reading for nothing: the primary key tells of a
 * repeated event just as surely. After one was met, batches look first for a while. Thread-safe.
 */
final class Repeats {
  /** So many batches without a repeated event, and they are no longer expected. */
  private static final int CALM_AFTER = 64;

  private final AtomicInteger batchesToLook = new AtomicInteger();

  boolean expected() {
    return batchesToLook.get() > 0;
  }

  /** A batch met events that had a slot. */
  void met() {
    batchesToLook.set(CALM_AFTER);
  }

  /** A batch looked, and all of its events were new. */
  void notMet() {
    batchesToLook.updateAndGet(left -> Math.max(0, left - 1));
  }
}
