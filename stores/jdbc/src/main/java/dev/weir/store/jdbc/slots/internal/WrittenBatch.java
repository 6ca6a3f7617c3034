package dev.weir.store.jdbc.slots.internal;

import dev.weir.engine.slots.internal.BatchPlan;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A batch that was planned and written. Its views are current once it is committed.
 *
 * @param step increment of the configurations' sequence numbers
 */
record WrittenBatch(BatchPlan plan, Map<String, JdbcWindows> configs, int step) {
  /** At a thousand batches a second, sequence numbers last for more than a century. */
  private static final int MAX_STEP = 1 << 22;

  /**
   * Returns a random increment of sequence numbers. If it were always one, a database that lost
   * commits, such as a standby that took over, would reach the same numbers again, and a view of
   * lost changes would be taken for current.
   */
  static int newStep() {
    return 1 + ThreadLocalRandom.current().nextInt(MAX_STEP);
  }

  void cacheViews(OccupancyCache views) {
    for (JdbcWindows windows : configs.values()) {
      views.putBack(
          new OccupancyCache.CachedView(
              windows.view(), windows.config(), windows.row().advanced(step)));
    }
  }
}
