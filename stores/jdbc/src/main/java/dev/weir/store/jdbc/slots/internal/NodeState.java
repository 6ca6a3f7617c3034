package dev.weir.store.jdbc.slots.internal;

/**
 * What a node remembers between batches. The database verifies all of it before it is relied on.
 * Thread-safe.
 *
 * @param repeats whether to expect events that have a slot already. Most events are new, and then
 *     looking them up before the write wastes half of a batch's reads: the primary key detects a
 *     repeated event just as reliably
 * @param rivals whether to expect other nodes to write to the same configurations. Then planning a
 *     batch without the lock is wasted work
 */
record NodeState(
    OccupancyCache views, AdaptiveHint repeats, AdaptiveHint rivals, EstimatedClock time) {
  NodeState() {
    this(OccupancyCache.SHARE_OF_HEAP_BYTES);
  }

  /**
   * @param maxViewBytes max memory of the cached views
   */
  NodeState(long maxViewBytes) {
    this(
        new OccupancyCache(maxViewBytes),
        new AdaptiveHint(64),
        new AdaptiveHint(16),
        new EstimatedClock());
  }
}
