package dev.weir.engine.slots;

/** What came of an attempt to confirm or cancel a slot. */
public sealed interface Transition {
  /** The slot is now in the state that was asked for, or was already. */
  record Done(Slot slot) implements Transition {}

  /** The slot is in a state from which there is no way to the one asked for. */
  record Conflict(Slot slot) implements Transition {}

  /** No event of that id has a slot. */
  record Unknown() implements Transition {}
}
