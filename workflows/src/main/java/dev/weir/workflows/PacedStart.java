package dev.weir.workflows;

import java.time.Instant;

/** The result of a paced start. */
public sealed interface PacedStart {
  /** The workflow is started, and runs at the time of its slot or soon after it. */
  record Started(Instant scheduledTime) implements PacedStart {}

  /** The workflow was started earlier. */
  record AlreadyStarted(Instant scheduledTime) implements PacedStart {}

  /**
   * Nothing was started, because a workflow of another type has the id, or one that runs on another
   * task queue. The slot is not confirmed.
   */
  record IdTaken(String workflowId, String workflowType, String taskQueue) implements PacedStart {}

  /** Nothing was started, because there is no slot. */
  record NoSlot(String reason) implements PacedStart {}
}
