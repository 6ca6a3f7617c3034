package dev.weir.workflows;

import dev.weir.slots.SlotRequest;
import java.time.Instant;
import java.util.Optional;

/**
 * A request for a workflow to be started.
 *
 * @param eventId id of the event's slot and of the workflow
 * @param configName slot configuration that sets the pace
 * @param requestedTime the wanted time; if empty, the workflow should start now
 */
public record PacedRequest(
    PacedWorkflow workflow, String eventId, String configName, Optional<Instant> requestedTime) {
  public PacedRequest {
    // The slot request checks the names and the time.
    var unused = new SlotRequest(eventId, configName, requestedTime);
  }

  /** Creates a request for a start at a time or later. */
  public PacedRequest(
      PacedWorkflow workflow, String eventId, String configName, Instant requestedTime) {
    this(workflow, eventId, configName, Optional.of(requestedTime));
  }

  /** Returns a request for a start now or later. */
  public static PacedRequest now(PacedWorkflow workflow, String eventId, String configName) {
    return new PacedRequest(workflow, eventId, configName, Optional.empty());
  }

  /** Returns the request for a slot. A time in the past means now: a late feed must not burst. */
  SlotRequest slotRequest(Instant now) {
    return new SlotRequest(eventId, configName, requestedTime.filter(time -> !time.isBefore(now)));
  }
}
