package dev.weir.payments.workflows;

import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/** Makes one payment, once its time has come. */
@WorkflowInterface
public interface SinglePaymentWorkflow {
  /** Calls the downstream until the payment has ended. */
  @WorkflowMethod
  void pay(String paymentId);
}
