package dev.weir.torture.history;

import java.time.Duration;

/** What a store loses by a fault, by which some promises are excused. */
public enum Loss {
  NONE,

  /** Redis loses counts, enough to be noticed for certain: each key counts as used up. */
  NOTICED,

  /**
   * What was counted while the fault lasted, or a moment before, may be granted again. It may also
   * be noticed.
   */
  FORGOTTEN,

  /** The same on a Cluster, where a node may not notice it before it has looked at all slots. */
  FORGOTTEN_FOR_LONGER,

  /**
   * PostgreSQL is as it was before, and nothing is known of what was done while the fault lasted.
   */
  RESTORED;

  /** The marker of Redis is written once in a second, and read by all nodes a second later. */
  private static final Duration UNNOTICED = Duration.ofSeconds(3);

  /** 256 of 16,384 slots in each second. */
  private static final Duration ALL_SLOTS = Duration.ofSeconds(75);

  boolean forgets() {
    return this == FORGOTTEN || this == FORGOTTEN_FOR_LONGER || this == RESTORED;
  }

  long nanosBefore() {
    return UNNOTICED.toNanos();
  }

  long nanosAfter() {
    return this == FORGOTTEN_FOR_LONGER ? ALL_SLOTS.toNanos() : 0;
  }
}
