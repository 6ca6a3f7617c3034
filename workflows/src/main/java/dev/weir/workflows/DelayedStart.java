package dev.weir.workflows;

import io.temporal.api.enums.v1.WorkflowExecutionStatus;
import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.client.WorkflowExecutionDescription;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.client.WorkflowOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Starts a workflow whose first task waits until a time. */
final class DelayedStart {
  private DelayedStart() {}

  /** Starts a workflow under an id. */
  static PacedStart start(
      WorkflowClient client,
      PacedWorkflow workflow,
      String workflowId,
      Instant scheduledTime,
      Instant now) {
    WorkflowOptions.Builder options =
        WorkflowOptions.newBuilder(workflow.options()).setWorkflowId(workflowId);
    if (workflow.options().getWorkflowIdReusePolicy() == null) {
      options.setWorkflowIdReusePolicy(
          WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE);
    }
    if (scheduledTime.isAfter(now)) {
      options.setStartDelay(Duration.between(now, scheduledTime));
    }
    try {
      client
          .newUntypedWorkflowStub(workflow.type(), options.build())
          .start(workflow.arguments().toArray());
      return new PacedStart.Started(scheduledTime);
    } catch (WorkflowExecutionAlreadyStarted e) {
      // It names the type that was wanted, not that of the one that exists.
      return existing(client, workflowId)
          .filter(existing -> !isSame(existing, workflow))
          .<PacedStart>map(
              other ->
                  new PacedStart.IdTaken(workflowId, other.getWorkflowType(), other.getTaskQueue()))
          .orElseGet(() -> new PacedStart.AlreadyStarted(scheduledTime));
    }
  }

  /** One that has ended may be of a time when its task queue had another name. */
  private static boolean isSame(WorkflowExecutionDescription existing, PacedWorkflow workflow) {
    return existing.getWorkflowType().equals(workflow.type())
        && (existing.getStatus() != WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING
            || existing.getTaskQueue().equals(workflow.options().getTaskQueue()));
  }

  private static Optional<WorkflowExecutionDescription> existing(
      WorkflowClient client, String workflowId) {
    try {
      return Optional.of(client.newUntypedWorkflowStub(workflowId).describe());
    } catch (WorkflowNotFoundException e) {
      // It has ended and was removed meanwhile. A caller who starts again finds the id free.
      return Optional.empty();
    }
  }
}
