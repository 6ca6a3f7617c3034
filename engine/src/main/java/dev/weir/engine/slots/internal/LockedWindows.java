package dev.weir.engine.slots.internal;

import dev.weir.core.slots.internal.OccupancyView;
import dev.weir.core.slots.internal.Page;
import dev.weir.engine.slots.SlotConfig;
import java.util.Optional;

/** The windows of one configuration, held under its lock. */
public interface LockedWindows {
  /** Returns the current version of the configuration. */
  SlotConfig config();

  /** Returns the known occupancy under the current policy. */
  OccupancyView view();

  /** May drop what can be read again if the view has become large. */
  default void trim() {}

  /** Reads the contents of the store from a window on; empty if they have not been counted yet. */
  Optional<Page> page(long fromMicros);
}
