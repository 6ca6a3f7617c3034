package dev.weir.slots;

import dev.weir.internal.Micros;
import dev.weir.internal.SlotNames;
import java.time.Instant;
import java.util.Optional;

/**
 * An event that another system has given its time, to be taken over as it is. Times are exact to
 * the microsecond; a finer one is rounded up.
 *
 * @param requestedTime the time that was wanted; if empty, the scheduled one
 * @param state {@link SlotState#ASSIGNED}, or {@link SlotState#CONFIRMED} if its work has started
 */
public record AdoptRequest(
    String eventId, Instant scheduledTime, Optional<Instant> requestedTime, SlotState state) {
  private static final String OUT_OF_RANGE = "must be a time from year 1 to year 9999";

  public AdoptRequest {
    require("eventId", SlotNames.eventIdProblem(eventId).orElse(""));
    require("scheduledTime", Micros.inRange(scheduledTime) ? "" : OUT_OF_RANGE);
    require("requestedTime", requestedTime.map(Micros::inRange).orElse(true) ? "" : OUT_OF_RANGE);
    require(
        "requestedTime",
        requestedTime.map(scheduledTime::isBefore).orElse(false)
            ? "must not be after scheduledTime"
            : "");
    require("state", state.holds() ? "" : "must be ASSIGNED or CONFIRMED");
  }

  /** Returns a request for an event that has a time and has not started. */
  public static AdoptRequest of(String eventId, Instant scheduledTime) {
    return new AdoptRequest(eventId, scheduledTime, Optional.empty(), SlotState.ASSIGNED);
  }

  private static void require(String field, String problem) {
    if (!problem.isEmpty()) {
      throw new IllegalArgumentException(field + " " + problem);
    }
  }
}
