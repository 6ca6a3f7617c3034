package dev.weir.client;

import java.io.IOException;
import java.time.Instant;

/** The slot of an event as the server has it. */
public record StoredSlot(Slot slot, State state, Instant assignedAt) {

  /** The state of a slot. */
  public enum State {
    /** Assigned, not confirmed yet. */
    ASSIGNED,
    /** The work has started. */
    CONFIRMED,
    /** Given back by its owner. */
    CANCELLED,
    /** Neither confirmed nor cancelled in time, and taken back by the server. */
    RECLAIMED
  }

  static StoredSlot read(JsonObject json) throws IOException {
    return new StoredSlot(
        Slot.read(json),
        json.requiredConstant("state", State.values()),
        json.requiredTime("assignedAt"));
  }
}
