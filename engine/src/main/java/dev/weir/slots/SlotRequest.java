package dev.weir.slots;

import dev.weir.internal.Micros;
import dev.weir.internal.SlotNames;
import java.time.Instant;
import java.util.Optional;

/**
 * A request for the slot of an event.
 *
 * @param requestedTime the wanted time; if empty, the event should run now, by the store's clock
 */
public record SlotRequest(String eventId, String configName, Optional<Instant> requestedTime) {
  public SlotRequest {
    require("eventId", SlotNames.eventIdProblem(eventId).orElse(""));
    require("configName", SlotNames.configNameProblem(configName).orElse(""));
    boolean isValid = requestedTime.isEmpty() || Micros.inRange(requestedTime.get());
    require("requestedTime", isValid ? "" : "must be a time from year 1 to year 9999");
  }

  /** Creates a request for the earliest slot from a time on. */
  public SlotRequest(String eventId, String configName, Instant requestedTime) {
    this(eventId, configName, Optional.of(requestedTime));
  }

  /** Returns a request for the earliest slot from now on, by the store's clock. */
  public static SlotRequest now(String eventId, String configName) {
    return new SlotRequest(eventId, configName, Optional.empty());
  }

  /** Returns the requested time in microseconds, or {@code nowMicros} if there is none. */
  public long requestedMicros(long nowMicros) {
    return requestedTime.isEmpty() ? nowMicros : Micros.ceil(requestedTime.get());
  }

  private static void require(String field, String problem) {
    if (!problem.isEmpty()) {
      throw new IllegalArgumentException(field + " " + problem);
    }
  }
}
