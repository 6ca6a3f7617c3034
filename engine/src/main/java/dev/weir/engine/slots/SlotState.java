package dev.weir.engine.slots;

/** What has become of a slot. */
public enum SlotState {
  /** Given, and nothing heard since. Leaked once its time has passed. */
  ASSIGNED,
  /** The work was really started. */
  CONFIRMED,
  /** Given back by its owner. */
  CANCELLED,
  /** Leaked, and taken back by the reconciler. */
  RECLAIMED;

  /** Whether the event still has its slot; if not, it may ask for a new one. */
  public boolean holds() {
    return this == ASSIGNED || this == CONFIRMED;
  }
}
