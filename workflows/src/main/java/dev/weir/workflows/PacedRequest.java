package dev.weir.workflows;

import dev.weir.slots.SlotRequest;
import java.time.Instant;

/**
 * A request for a workflow to be started.
 *
 * @param eventId id of the event's slot and of the workflow
 * @param configName slot configuration that sets the pace
 * @param requestedTime the wanted time, or {@link SlotRequest#NOW}
 */
public record PacedRequest(
    PacedWorkflow workflow, String eventId, String configName, Instant requestedTime) {
  public PacedRequest {
    // The slot request checks the names and the time.
    var unused = new SlotRequest(eventId, configName, requestedTime);
  }

  /** Returns the request for a slot. A time in the past means now: a late feed must not burst. */
  SlotRequest slotRequest(Instant now) {
    return requestedTime.isBefore(now)
        ? SlotRequest.now(eventId, configName)
        : new SlotRequest(eventId, configName, requestedTime);
  }
}
