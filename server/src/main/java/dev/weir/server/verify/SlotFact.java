package dev.weir.server.verify;

import dev.weir.internal.Micros;
import dev.weir.slots.NotBefore;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotPolicy;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A row of {@code slot}. */
record SlotFact(
    String eventId,
    int version,
    long requestedMicros,
    long windowStartMicros,
    int place,
    long scheduledMicros,
    long assignedAtMicros,
    int state) {

  static final String SELECT =
      "select event_id, version, requested, window_start, place, scheduled, assigned_at, state"
          + " from slot";

  private static final int LAST_STATE_THAT_HOLDS = 1;

  static SlotFact read(ResultSet row) throws SQLException {
    return new SlotFact(
        row.getString(1),
        row.getInt(2),
        row.getLong(3),
        row.getLong(4),
        row.getInt(5),
        row.getLong(6),
        row.getLong(7),
        row.getInt(8));
  }

  /** Returns true if the event still holds this slot. */
  boolean holds() {
    return state <= LAST_STATE_THAT_HOLDS;
  }

  /** Returns true if the event was taken over with its time, which no rule of Weir has chosen. */
  boolean isAdopted() {
    return place == Slot.ADOPTED || isAdoptedOverfull();
  }

  /** Returns true if the event was taken over although its window had no place left. */
  boolean isAdoptedOverfull() {
    return place == Slot.ADOPTED_OVERFULL;
  }

  /** Returns the time before which the event must not run, ignoring pauses. */
  long wantedMicros(SlotPolicy policy) {
    return policy.notBefore() == NotBefore.NOW
        ? Math.max(requestedMicros, assignedAtMicros)
        : requestedMicros;
  }

  /** Returns a description of the slot for a report. */
  String in(ConfigFact config) {
    return "event \"%s\" of %s v%d at %s"
        .formatted(eventId, config.name(), version, Micros.instant(scheduledMicros));
  }
}
