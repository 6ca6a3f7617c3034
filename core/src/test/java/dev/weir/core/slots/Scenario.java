package dev.weir.core.slots;

import java.util.List;
import java.util.function.LongPredicate;

/** Terms, and what happens under them. */
record Scenario(SlotPolicy policy, LongPredicate open, List<Step> steps) {

  /** What happens next. */
  sealed interface Step {
    /** So many events ask for a slot. */
    record Ask(PlacementRequest request, int events) implements Step {}

    /** An event that has a slot gives it back; counted from the first, and round again. */
    record Cancel(int event) implements Step {}

    /** Another limit is set. */
    record Limit(int maxPerWindow) implements Step {}

    /** The opening hours are lifted, or come into force again. */
    record Hours(boolean inForce) implements Step {}
  }
}
