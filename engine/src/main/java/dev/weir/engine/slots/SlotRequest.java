package dev.weir.engine.slots;

import dev.weir.core.Micros;
import java.time.Instant;

/**
 * An event that asks for a slot.
 *
 * @param requestedTime the time it would like, or {@link #NOW}
 */
public record SlotRequest(String eventId, String configName, Instant requestedTime) {
  /** The requested time of an event that would like to run now, by the store's clock. */
  public static final Instant NOW = Instant.MIN;

  public SlotRequest {
    refuse("eventId", SlotNames.eventIdProblem(eventId).orElse(""));
    refuse("configName", SlotNames.configNameProblem(configName).orElse(""));
    boolean possible = requestedTime.equals(NOW) || Micros.inRange(requestedTime);
    refuse("requestedTime", possible ? "" : "must be a time from year 1 to year 9999");
  }

  public static SlotRequest now(String eventId, String configName) {
    return new SlotRequest(eventId, configName, NOW);
  }

  long requestedMicros(long nowMicros) {
    return requestedTime.equals(NOW) ? nowMicros : Micros.ceil(requestedTime);
  }

  private static void refuse(String field, String problem) {
    if (!problem.isEmpty()) {
      throw new IllegalArgumentException(field + " " + problem);
    }
  }
}
