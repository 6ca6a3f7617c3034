package dev.weir.engine.slots;

import java.time.Duration;

/** The answer to a request for a slot. */
public sealed interface Assignment {
  /**
   * The event has its slot.
   *
   * @param replayed whether it had the slot before it asked
   * @param lookahead how many windows lie between the wanted one and the given one
   */
  record Assigned(Slot slot, boolean replayed, long lookahead) implements Assignment {}

  /**
   * No place is free within the configuration's longest delay.
   *
   * @param retryAfter when the same request would find one, as far as can be told now
   */
  record NoRoom(SlotRequest request, Duration retryAfter) implements Assignment {
    /** Whole seconds, rounded up and at least one: what a header can say. */
    public long retryAfterSeconds() {
      return Math.max(1, retryAfter.plusNanos(999_999_999).toSeconds());
    }
  }

  /** There is no such configuration. */
  record UnknownConfig(SlotRequest request) implements Assignment {}
}
