package dev.weir.workflows;

import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.client.WorkflowOptions;
import java.time.Duration;
import java.time.Instant;

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
      String type = typeOf(client, workflowId, workflow.type());
      return type.equals(workflow.type())
          ? new PacedStart.AlreadyStarted(scheduledTime)
          : new PacedStart.IdTaken(workflowId, type);
    }
  }

  private static String typeOf(WorkflowClient client, String workflowId, String wanted) {
    try {
      return client.newUntypedWorkflowStub(workflowId).describe().getWorkflowType();
    } catch (WorkflowNotFoundException e) {
      // It has ended and was removed meanwhile. A caller who starts again finds the id free.
      return wanted;
    }
  }
}
