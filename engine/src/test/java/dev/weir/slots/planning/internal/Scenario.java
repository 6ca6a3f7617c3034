package dev.weir.slots.planning.internal;

import dev.weir.slots.SlotPolicy;
import java.util.List;
import java.util.function.LongPredicate;

/** A policy, and what happens under it. */
record Scenario(SlotPolicy policy, LongPredicate open, List<Step> steps) {

  /** One step of a scenario. */
  sealed interface Step {
    /** A number of events request a slot. */
    record Request(PlacementRequest request, int events) implements Step {}

    /** An event releases its slot; the index wraps around. */
    record Cancel(int event) implements Step {}

    /** The limit changes. */
    record Limit(int maxPerWindow) implements Step {}

    /** The opening hours are removed or restored. */
    record Hours(boolean inForce) implements Step {}
  }
}
