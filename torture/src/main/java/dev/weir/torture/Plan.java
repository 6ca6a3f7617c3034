package dev.weir.torture;

import java.time.Duration;
import java.util.Set;

/**
 * How rounds are played.
 *
 * @param time how long there are load and faults
 * @param callers of each capability
 * @param faults the names of the classes of faults, each of which comes at least once, however long
 *     that takes; all that are possible, as far as they come in time, if this is empty
 */
public record Plan(Duration time, int callers, Set<String> faults) {
  /** As many callers as keep two cores busy. */
  static final int CALLERS = 5;

  public Plan {
    faults = Set.copyOf(faults);
  }

  static Plan of(Duration time) {
    return new Plan(time, CALLERS, Set.of());
  }
}
