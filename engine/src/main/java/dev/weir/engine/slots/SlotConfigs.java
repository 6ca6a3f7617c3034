package dev.weir.engine.slots;

import dev.weir.core.slots.SlotPolicy;
import java.util.List;
import java.util.Optional;

/** The port to where configurations are kept: versions, append-only. Thread-safe. */
public interface SlotConfigs {
  /**
   * Makes these terms the next version of a configuration, or the first of a new one. Occupancy
   * ahead is carried over in the same step.
   */
  SlotConfig configure(String name, SlotPolicy terms);

  /** The version in force. */
  Optional<SlotConfig> inForce(String name);

  /** All versions, newest first. */
  List<SlotConfig> history(String name);

  /** The versions in force, by name. */
  List<SlotConfig> active();
}
