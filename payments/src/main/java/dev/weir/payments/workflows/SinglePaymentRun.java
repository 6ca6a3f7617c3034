package dev.weir.payments.workflows;

import io.temporal.activity.ActivityOptions;
import io.temporal.common.RetryOptions;
import io.temporal.workflow.Workflow;
import java.time.Duration;

/**
 * Makes one payment: an activity for each attempt, and a timer between two. A payment on time that
 * is answered needs one activity. When the ceiling is reached, the payment waits here, where it
 * costs no thread and no memory of a worker.
 */
final class SinglePaymentRun implements SinglePaymentWorkflow {
  /** A wait adds eight events; this continues as new after 1,600. */
  private static final int MAX_STEPS = 200;

  private final PaymentActivities activities;

  SinglePaymentRun(StepTimes times) {
    this.activities =
        Workflow.newActivityStub(
            PaymentActivities.class,
            ActivityOptions.newBuilder()
                .setStartToCloseTimeout(times.attempt())
                .setRetryOptions(
                    RetryOptions.newBuilder()
                        .setInitialInterval(Duration.ofSeconds(1))
                        .setMaximumInterval(Duration.ofSeconds(30))
                        .build())
                // Then the workflow fails, and the reconciler starts another one.
                .setScheduleToCloseTimeout(Duration.ofDays(7))
                .build());
  }

  @Override
  public void pay(String paymentId) {
    for (int i = 0; i < MAX_STEPS; i++) {
      PaymentActivities.Step step = activities.pay(paymentId);
      if (step.kind() == PaymentActivities.Kind.RECORD) {
        // The result is in the history now: the call is not repeated, however long this takes.
        step = activities.record(step.unrecorded().getFirst());
      }
      if (step.kind() == PaymentActivities.Kind.ENDED) {
        return;
      }
      Workflow.sleep(Duration.ofMillis(step.waitMillis()));
    }
    Workflow.newContinueAsNewStub(SinglePaymentWorkflow.class).pay(paymentId);
  }
}
