package dev.weir.client;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** A promised time at which an event may run. */
public record Slot(
    String eventId,
    String configName,
    long configVersion,
    Instant requestedTime,
    Instant scheduledTime,
    Instant windowStart) {

  /** Returns the time between the requested and the scheduled one. */
  public Duration delay() {
    return Duration.between(requestedTime, scheduledTime);
  }

  static Slot read(JsonObject json) throws IOException {
    return new Slot(
        json.requiredText("eventId"),
        json.requiredText("configName"),
        json.requiredNumber("configVersion"),
        json.requiredTime("requestedTime"),
        json.requiredTime("scheduledTime"),
        json.requiredTime("windowStart"));
  }
}
