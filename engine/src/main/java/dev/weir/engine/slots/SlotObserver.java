package dev.weir.engine.slots;

import java.time.Duration;

/** Is told what happens to slots, for metrics. Called often and by many threads: must be quick. */
public interface SlotObserver {
  /** Watches nothing. */
  SlotObserver NONE = new SlotObserver() {};

  /** A caller has its answer. */
  default void answered(Assignment assignment, Duration took) {}

  /** A caller got an error in place of an answer. */
  default void failed(Duration took) {}

  /** So many demands were taken to the ledger together. */
  default void batch(int demands) {}

  /** A batch met another node at the same configuration and had to read or try again. */
  default void contended() {}

  default void configCacheHit() {}

  default void configCacheMiss() {}

  /** The reconciler counted the slots that leaked. */
  default void leaked(long slots) {}

  default void reclaimed(int slots) {}

  default void removed(int slots) {}
}
