package dev.weir.store.jdbc.slots;

/**
 * What a node remembers between batches. None of it is believed without being compared by the
 * database. Thread-safe.
 *
 * @param repeats whether events that have a slot already are to be expected. Feeds are mostly new,
 *     and then a look-up before the write is half a batch's reading for nothing: the primary key
 *     tells of a repeated event just as surely
 * @param rivals whether others are to be expected to write into the same books. Then a batch that
 *     was planned without the lock is planned in vain
 */
record NodeState(
    OccupancyCache pictures, AdaptiveHint repeats, AdaptiveHint rivals, EstimatedClock time) {
  NodeState() {
    this(OccupancyCache.SHARE_OF_HEAP_BYTES);
  }

  /**
   * @param mostPictureBytes how much memory the pictures may take
   */
  NodeState(long mostPictureBytes) {
    this(
        new OccupancyCache(mostPictureBytes),
        new AdaptiveHint(64),
        new AdaptiveHint(16),
        new EstimatedClock());
  }
}
