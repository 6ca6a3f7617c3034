package dev.weir.slots;

/** The result of an attempt to confirm or cancel a slot. */
public sealed interface Transition {
  /** The slot is in the requested state, now or already before. */
  record Done(Slot slot) implements Transition {}

  /** The slot is in a state from which the requested one cannot be reached. */
  record Conflict(Slot slot) implements Transition {}

  /** The event has no slot. */
  record Unknown() implements Transition {}
}
