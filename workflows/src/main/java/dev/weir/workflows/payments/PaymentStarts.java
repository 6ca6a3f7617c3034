package dev.weir.workflows.payments;

import dev.weir.engine.payments.Payment;
import dev.weir.engine.slots.SlotRequest;
import dev.weir.workflows.PacedRequest;
import dev.weir.workflows.PacedWorkflow;
import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowServiceException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workflows of feeds and payments, as Temporal knows them. Thread-safe. */
final class PaymentStarts {
  private static final Logger log = LoggerFactory.getLogger(PaymentStarts.class);

  private final WorkflowClient client;
  private final String taskQueue;

  /** Of all payments. */
  private final WorkflowOptions paymentOptions;

  PaymentStarts(WorkflowClient client, String taskQueue) {
    this.client = client;
    this.taskQueue = taskQueue;
    this.paymentOptions = options().build();
  }

  /**
   * Returns the start of a payment. One whose workflow has ended may be started again: the store
   * knows whether it has ended, and is asked before the downstream is called.
   */
  PacedRequest request(Payment payment) {
    PacedWorkflow workflow =
        new PacedWorkflow(
            PaymentExecWorkflow.class.getSimpleName(),
            paymentOptions,
            List.of(payment.paymentId()));
    return new PacedRequest(
        workflow,
        payment.paymentId(),
        payment.configName(),
        payment.requestedTime().orElse(SlotRequest.NOW));
  }

  private WorkflowOptions.Builder options() {
    return WorkflowOptions.newBuilder()
        .setTaskQueue(taskQueue)
        .setWorkflowIdReusePolicy(WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE);
  }

  /** Starts the payments of a feed, unless that is in progress. */
  void startFeed(String feedId, long afterLine) {
    PaymentInitWorkflow workflow =
        client.newWorkflowStub(
            PaymentInitWorkflow.class,
            options().setWorkflowId(Payment.RESERVED_PREFIX + feedId).build());
    try {
      WorkflowClient.start(workflow::start, feedId, afterLine);
    } catch (WorkflowExecutionAlreadyStarted e) {
      // It is in progress.
    }
  }

  /** Ends the workflow of a payment that was cancelled. It has not run. */
  void terminate(String paymentId) {
    try {
      client.newUntypedWorkflowStub(paymentId).terminate("the payment was cancelled");
    } catch (WorkflowNotFoundException e) {
      // It was not started yet, or has ended.
    } catch (WorkflowServiceException e) {
      log.warn(
          "The workflow of the cancelled payment {} ends at its slot: {}",
          paymentId,
          e.getMessage());
    }
  }
}
