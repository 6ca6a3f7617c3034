package dev.weir.engine.slots;

import dev.weir.core.slots.OccupancyView;
import dev.weir.core.slots.Page;
import java.util.Optional;

/** A configuration's windows, open under its lock. */
public interface LockedWindows {
  /** The version in force. */
  SlotConfig config();

  /** What is known of the windows under the terms in force. */
  OccupancyView picture();

  /** May forget what can be read again, if the picture has become large. */
  default void trim() {}

  /** Reads what the store holds from a window on; empty if that has yet to be counted. */
  Optional<Page> page(long fromMicros);
}
