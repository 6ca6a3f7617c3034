package dev.weir.slots;

import java.time.Instant;

/** The result for an event that was to be taken over from another system. */
public sealed interface Adoption {
  /** The event has a slot at its own time, which counts in its window. */
  record Adopted(Slot slot) implements Adoption {}

  /**
   * The event was known with this time already; nothing was changed.
   *
   * @param slot its slot, which may have been confirmed, cancelled or reclaimed
   */
  record Repeated(Slot slot) implements Adoption {}

  /**
   * The event is known with another time or in another configuration; nothing was changed.
   *
   * @param slot its slot, which may have been confirmed, cancelled or reclaimed
   */
  record Conflict(AdoptRequest request, Slot slot) implements Adoption {}

  /**
   * The window of the event holds as many events as it has places, and more were not to be
   * accepted.
   *
   * @param places the number of places of the window, 0 if it is closed
   */
  record Full(AdoptRequest request, Instant windowStart, int places) implements Adoption {}

  /** The configuration does not exist. */
  record UnknownConfig(AdoptRequest request) implements Adoption {}
}
