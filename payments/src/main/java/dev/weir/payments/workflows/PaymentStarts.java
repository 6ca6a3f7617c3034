package dev.weir.payments.workflows;

import dev.weir.payments.Payment;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore;
import dev.weir.workflows.PacedRequest;
import dev.weir.workflows.PacedStart;
import dev.weir.workflows.PacedWorkflow;
import io.temporal.api.enums.v1.WorkflowExecutionStatus;
import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.client.WorkflowExecutionDescription;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowServiceException;
import io.temporal.client.WorkflowTargetOptions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workflows of feeds and payments, as Temporal knows them. Thread-safe. */
final class PaymentStarts {
  private static final Logger log = LoggerFactory.getLogger(PaymentStarts.class);

  /** Of the ids of payments' workflows, so that no other workflow has the id of a payment. */
  static final String ID_PREFIX = "payment/";

  private static final String PAYMENT_TYPE = SinglePaymentWorkflow.class.getSimpleName();
  private static final String FEED_TYPE = FeedStartWorkflow.class.getSimpleName();

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
        new PacedWorkflow(PAYMENT_TYPE, paymentOptions, List.of(payment.paymentId()));
    return new PacedRequest(
        workflow, payment.paymentId(), payment.configName(), payment.requestedTime());
  }

  private WorkflowOptions.Builder options() {
    return WorkflowOptions.newBuilder()
        .setTaskQueue(taskQueue)
        .setWorkflowIdReusePolicy(WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE);
  }

  /**
   * Starts the payments of a feed, unless that is in progress.
   *
   * @throws IllegalStateException if a workflow that is none of this Weir has the id
   */
  void startFeed(String feedId, long afterLine) {
    FeedStartWorkflow workflow =
        client.newWorkflowStub(
            FeedStartWorkflow.class,
            options().setWorkflowId(Payment.RESERVED_PREFIX + feedId).build());
    try {
      WorkflowClient.start(workflow::start, feedId, afterLine);
    } catch (WorkflowExecutionAlreadyStarted e) {
      Optional<WorkflowExecutionDescription> other = running(Payment.RESERVED_PREFIX + feedId);
      if (other.isPresent() && !isOwn(other.get(), FEED_TYPE)) {
        throw new IllegalStateException(
            "feed %s is not started: workflow %s of type %s on task queue %s has its id"
                .formatted(
                    feedId,
                    Payment.RESERVED_PREFIX + feedId,
                    other.get().getWorkflowType(),
                    other.get().getTaskQueue()));
      }
    }
  }

  /** Starts a payment at once, whether or not it has a slot. */
  PacedStart startNow(String paymentId, Instant now) {
    String workflowId = ID_PREFIX + paymentId;
    try {
      client
          .newUntypedWorkflowStub(PAYMENT_TYPE, options().setWorkflowId(workflowId).build())
          .start(paymentId);
      return new PacedStart.Started(now);
    } catch (WorkflowExecutionAlreadyStarted e) {
      return running(workflowId)
          .filter(other -> !isOwn(other, PAYMENT_TYPE))
          .<PacedStart>map(
              other ->
                  new PacedStart.IdTaken(workflowId, other.getWorkflowType(), other.getTaskQueue()))
          .orElseGet(() -> new PacedStart.AlreadyStarted(now));
    }
  }

  /**
   * Ends a payment whose id another workflow has: it cannot be started, and must not count as if it
   * were.
   */
  static void refuse(PaymentStore store, Payment payment, PacedStart.IdTaken taken) {
    String reason =
        "workflow %s of type %s on task queue %s, which is not one of this Weir, has its id"
            .formatted(taken.workflowId(), taken.workflowType(), taken.taskQueue());
    if (refuse(store, payment.paymentId(), reason)) {
      log.warn("Payment {} is not called any more: {}", payment.paymentId(), reason);
    }
  }

  /** A payment may have been called before its workflow ended because it was held. */
  private static boolean refuse(PaymentStore store, String paymentId, String reason) {
    boolean mayBeMade = store.hasUnknownCall(paymentId, Instant.EPOCH);
    if (!mayBeMade && store.find(paymentId).map(PaymentStatus::attempts).orElse(0) == 0) {
      return store.notStarted(paymentId, reason);
    }
    return store.failed(
        paymentId,
        store.now(),
        PaymentCall.storable(
            "not called again%s: %s"
                .formatted(mayBeMade ? ", and may have been made" : "", reason)));
  }

  /** Returns true if a payment runs under the id that versions before the prefix gave it. */
  boolean runsUnderFormerId(String paymentId) {
    return running(paymentId).filter(found -> isOwn(found, PAYMENT_TYPE)).isPresent();
  }

  private Optional<WorkflowExecutionDescription> running(String workflowId) {
    try {
      return Optional.of(client.newUntypedWorkflowStub(workflowId).describe())
          .filter(
              found ->
                  found.getStatus() == WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING);
    } catch (WorkflowNotFoundException e) {
      return Optional.empty();
    }
  }

  private boolean isOwn(WorkflowExecutionDescription found, String type) {
    return found.getWorkflowType().equals(type) && found.getTaskQueue().equals(taskQueue);
  }

  /**
   * Ends the workflow of a payment that was cancelled; no other one that has its id, or had it
   * before there was a prefix.
   */
  void terminate(String paymentId) {
    terminate(paymentId, ID_PREFIX + paymentId);
    terminate(paymentId, paymentId);
  }

  private void terminate(String paymentId, String workflowId) {
    try {
      Optional<WorkflowExecutionDescription> found = running(workflowId);
      if (found.isPresent() && isOwn(found.get(), PAYMENT_TYPE)) {
        client
            .newUntypedWorkflowStub(
                WorkflowTargetOptions.newBuilder()
                    .setWorkflowExecution(found.get().getExecution())
                    .build())
            .terminate("the payment was cancelled");
      }
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
