package dev.weir.client;

/** The result of an attempt to confirm a slot. */
public sealed interface Confirmation {
  /** The slot is confirmed, now or already before. */
  record Confirmed(StoredSlot slot) implements Confirmation {}

  /** The slot was cancelled or reclaimed before: the event may not run by it. */
  record Ended(Problem problem) implements Confirmation {}

  /** The event has no slot. */
  record Unknown() implements Confirmation {}
}
