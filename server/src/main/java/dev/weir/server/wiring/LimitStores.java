package dev.weir.server.wiring;

import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.MemoryLeaseStore;
import dev.weir.engine.limits.MemoryLimitStore;
import dev.weir.server.metrics.LimitMetrics;
import java.util.Deque;

/** Who counts what was used of limits. */
record LimitStores(LimitStore<Limit> limits, LeaseStore leases) {

  /**
   * Opens the stores that the settings name.
   *
   * @param started gets what has to be closed
   */
  static LimitStores open(
      LimitSettings settings, LimitMetrics metrics, Deque<AutoCloseable> started) {
    LimitStores stores =
        switch (settings.store()) {
          case MEMORY -> inMemory(settings, metrics);
          case POSTGRESQL, REDIS ->
              throw new InvalidSettingException(
                  Setting.LIMITS_STORE.key(), "can be nothing but memory yet");
        };
    started.push(stores.limits());
    started.push(stores.leases());
    return stores;
  }

  private static LimitStores inMemory(LimitSettings settings, LimitMetrics metrics) {
    MemoryLimitStore memory = new MemoryLimitStore(settings.mostKeys());
    metrics.keysInMemory(memory::keys);
    return new LimitStores(memory, new MemoryLeaseStore());
  }
}
