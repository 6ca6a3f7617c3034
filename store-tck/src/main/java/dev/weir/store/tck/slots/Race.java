package dev.weir.store.tck.slots;

import java.util.List;

/**
 * Generated rounds on three configurations of one store. The acts of a round run at the same time,
 * each on its own node.
 */
record Race(List<List<Act>> rounds) {

  /** One act. Events and configurations are small numbers, so that acts collide. */
  sealed interface Act {
    /** Requests slots in one batch. */
    record Assign(List<EventRequest> requests) implements Act {}

    record Cancel(int event) implements Act {}

    record Confirm(int event) implements Act {}

    /** Reclaims slots that were due and assigned before the round. */
    record Reclaim() implements Act {}
  }

  /** A request for a slot, with its time in seconds after {@link Scene#NOON}. */
  record EventRequest(int event, int config, int requestedSeconds) {}
}
