package dev.weir.slots;

/** The state of a slot. */
public enum SlotState {
  /** Assigned, not confirmed yet. Leaked once its time has passed. */
  ASSIGNED,
  /** The work has actually started. */
  CONFIRMED,
  /** Cancelled by its owner. */
  CANCELLED,
  /** Leaked, and reclaimed by the reconciler. */
  RECLAIMED;

  /** Returns true if the event still has its slot; otherwise it may request a new one. */
  public boolean holds() {
    return this == ASSIGNED || this == CONFIRMED;
  }
}
