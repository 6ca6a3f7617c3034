package dev.weir.workflows;

import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.client.WorkflowOptions;
import java.time.Duration;
import java.time.Instant;

/** Starts a workflow whose first task waits until a time. */
final class DelayedStart {
  private DelayedStart() {}

  /** Starts a workflow under the id of its event. Returns false if it was started earlier. */
  static boolean start(
      WorkflowClient client, PacedRequest request, Instant scheduledTime, Instant now) {
    PacedWorkflow workflow = request.workflow();
    WorkflowOptions.Builder options =
        WorkflowOptions.newBuilder(workflow.options()).setWorkflowId(request.eventId());
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
      return true;
    } catch (WorkflowExecutionAlreadyStarted e) {
      return false;
    }
  }
}
