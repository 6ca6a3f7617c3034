package dev.weir.slots;

import java.time.Duration;
import java.time.Instant;

/** A promised time at which an event may run. */
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
