package dev.weir.slots;

import java.time.Duration;

/**
 * Receives what happens to slots, for metrics. Called frequently and by many threads, so it must be
 * quick.
 */
public interface SlotObserver {
  /** An observer that does nothing. */
  SlotObserver NONE = new SlotObserver() {};

  /** Called when a caller has its result. */
  default void answered(Assignment assignment, Duration took) {}

  /** Called when a caller gets an error instead of a result. */
  default void failed(Duration took) {}

  /** Called with the change in the number of requests that wait for their result. */
  default void waiting(int change) {}

  /** Called with the number of requests that were passed to the ledger together. */
  default void batch(int requests) {}

  /**
   * Called if a batch conflicted with another node on the same configuration and had to read again
   * or retry.
   */
  default void contended() {}

  default void configCacheHit() {}

  default void configCacheMiss() {}

  /** Called with the number of leaked slots that the reconciler counted. */
  default void leaked(long slots) {}

  default void reclaimed(int slots) {}

  default void removed(int slots) {}
}
