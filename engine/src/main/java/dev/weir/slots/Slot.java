package dev.weir.slots;

import java.time.Duration;
import java.time.Instant;

/**
 * A promised time at which an event may run.
 *
 * @param place the place in the window that it was assigned; {@link #ADOPTED} or {@link
 *     #ADOPTED_OVERFULL} if it was adopted, because its time is then not that of a place
 */
public record Slot(
    String eventId,
    String configName,
    int configVersion,
    Instant requestedTime,
    Instant windowStart,
    int place,
    Instant scheduledTime,
    SlotState state,
    Instant assignedAt) {
  /** The place of an adopted event. */
  public static final int ADOPTED = -1;

  /** The place of an adopted event that was accepted although its window had no place left. */
  public static final int ADOPTED_OVERFULL = -2;

  /** Returns true if the time was taken over from another system. */
  public boolean isAdopted() {
    return place < 0;
  }

  public Duration delay() {
    return Duration.between(requestedTime, scheduledTime);
  }

  /** Returns this slot in another state. */
  public Slot in(SlotState other) {
    return new Slot(
        eventId,
        configName,
        configVersion,
        requestedTime,
        windowStart,
        place,
        scheduledTime,
        other,
        assignedAt);
  }
}
