package dev.weir.slots.internal;

import dev.weir.slots.SlotConfig;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
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
