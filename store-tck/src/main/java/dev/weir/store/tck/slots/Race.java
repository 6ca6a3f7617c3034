package dev.weir.store.tck.slots;

import java.util.List;

/**
 * Generated rounds on three configurations of one store. The acts of a round are done at the same
 * moment, each on a node of its own.
 */
record Race(List<List<Act>> rounds) {

  /** One act. Events and configurations are small numbers, so that acts meet. */
  sealed interface Act {
    /** Asks for slots in one batch. */
    record Assign(List<Ask> asks) implements Act {}

    record Cancel(int event) implements Act {}

    record Confirm(int event) implements Act {}

    /** Takes back what was due and assigned before the round. */
    record Reclaim() implements Act {}
  }

  /** What an event asks for, in seconds after {@link Scene#NOON}. */
  record Ask(int event, int config, int requestedSeconds) {}
}
