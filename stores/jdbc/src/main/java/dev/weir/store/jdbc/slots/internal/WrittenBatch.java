package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.internal.BatchPlan;
import java.util.Map;

/**
 * A batch that was planned and written. Its views are current once it is committed.
 *
 * @param step increment of the configurations' sequence numbers
 */
record WrittenBatch(BatchPlan plan, Map<String, JdbcWindows> configs, int step) {
  void cacheViews(OccupancyCache views) {
    for (JdbcWindows windows : configs.values()) {
      views.putBack(
          new OccupancyCache.CachedView(
              windows.view(), windows.config(), windows.row().advanced(step)));
    }
  }
}
