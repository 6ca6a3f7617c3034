package dev.weir.torture;

import java.util.Set;

/** Which faults come in a round. */
public sealed interface Trouble {
  /** None, for what needs none to be seen. */
  record None() implements Trouble {}

  /** All that are possible, as far as they come in time. */
  record All() implements Trouble {}

  /**
   * Some, each at least once, however long that takes.
   *
   * @param faults the names of their classes
   * @param ways a part of the names of the ways on which they come; all ways if this is empty
   */
  record Only(Set<String> faults, String ways) implements Trouble {
    public Only {
      faults = Set.copyOf(faults);
    }
  }
}
