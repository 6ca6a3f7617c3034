package dev.weir.slots;

import java.util.List;
import java.util.Optional;

/** A store of versioned configurations, append-only. Implementations are thread-safe. */
public interface SlotConfigs {
  /**
   * Makes a policy the next version of a configuration, or the first version of a new one. The
   * occupancy of future windows is carried over in the same step.
   */
  SlotConfig configure(String name, SlotPolicy policy);

  /**
   * Does the same as {@link #configure} if {@code version} is in force, in one step.
   *
   * @param version the expected version; 0 if there must be no such configuration
   * @return the new version; empty if another version is in force, and then nothing has changed
   */
  Optional<SlotConfig> configure(String name, int version, SlotPolicy policy);

  /** Returns the current version. */
  Optional<SlotConfig> inForce(String name);

  /** Returns all versions, newest first. */
  List<SlotConfig> history(String name);

  /** Returns the current versions of all configurations, ordered by name. */
  List<SlotConfig> active();
}
