package dev.weir.slots;

import dev.weir.internal.Micros;
import dev.weir.slots.internal.SlotNames;
import java.time.Instant;

/**
 * A request for the slot of an event.
 *
 * @param requestedTime the wanted time, or {@link #NOW}
 */
public record SlotRequest(String eventId, String configName, Instant requestedTime) {
  /** The requested time of an event that should run now, by the store's clock. */
  public static final Instant NOW = Instant.MIN;

  public SlotRequest {
    require("eventId", SlotNames.eventIdProblem(eventId).orElse(""));
    require("configName", SlotNames.configNameProblem(configName).orElse(""));
    boolean isValid = requestedTime.equals(NOW) || Micros.inRange(requestedTime);
    require("requestedTime", isValid ? "" : "must be a time from year 1 to year 9999");
  }

  public static SlotRequest now(String eventId, String configName) {
    return new SlotRequest(eventId, configName, NOW);
  }

  /** Returns the requested time, or {@code nowMicros} for {@link #NOW}. */
  public long requestedMicros(long nowMicros) {
    return requestedTime.equals(NOW) ? nowMicros : Micros.ceil(requestedTime);
  }

  private static void require(String field, String problem) {
    if (!problem.isEmpty()) {
      throw new IllegalArgumentException(field + " " + problem);
    }
  }
}
