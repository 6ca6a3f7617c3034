package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.payments.FeedScope;
import dev.weir.payments.FeedState;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.workflows.PaymentScene.Settings;
import io.temporal.api.enums.v1.WorkflowExecutionStatus;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Workflows of others in the same namespace that have ids of payments or feeds. */
final class ForeignWorkflowTest {
  private static final Settings CALM = new Settings(15, 20, 0, 0);

  private static WorkflowStub startForeign(PaymentScene scene, String workflowId) {
    return startForeign(scene, "Payroll", workflowId);
  }

  private static WorkflowStub startForeign(PaymentScene scene, String type, String workflowId) {
    WorkflowStub foreign =
        scene
            .time
            .client()
            .newUntypedWorkflowStub(
                type,
                WorkflowOptions.newBuilder()
                    .setTaskQueue("payroll-" + scene.name)
                    .setWorkflowId(workflowId)
                    .build());
    foreign.start();
    return foreign;
  }

  private static void assertRuns(WorkflowStub workflow) {
    assertThat(workflow.describe().getStatus())
        .isEqualTo(WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING);
  }

  @Test
  void paymentIsMadeAlthoughAForeignWorkflowHasItsId() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      WorkflowStub foreign = startForeign(scene, scene.payment(0).paymentId());
      scene.receive("f", scene.feed(2));
      assertThat(scene.awaitDone("f").paid()).isEqualTo(2);
      assertRuns(foreign);
    }
  }

  @Test
  void cancellationOfAPaymentEndsNoForeignWorkflow() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      Payment payment =
          scene.payment(1, Optional.of(scene.time.instant().plus(Duration.ofDays(1))));
      WorkflowStub foreign = startForeign(scene, payment.paymentId());
      scene.receive("f", PaymentScene.feed(List.of(payment)));
      scene.time.await(
          "the start of the feed",
          Duration.ofHours(1),
          () -> scene.status("f").state() == FeedState.STARTED);
      scene.payments.cancel(payment.paymentId());
      assertRuns(foreign);
      assertThat(
              scene
                  .time
                  .client()
                  .newUntypedWorkflowStub("payment/" + payment.paymentId())
                  .describe()
                  .getStatus())
          .isEqualTo(WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED);
    }
  }

  @Test
  void paymentWhoseWorkflowIdIsTakenFailsWithTheReason() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      String id = scene.payment(0).paymentId();
      WorkflowStub foreign = startForeign(scene, "payment/" + id);
      scene.receive("f", scene.feed(2));
      FeedStatus feed = scene.awaitDone("f");
      assertThat(feed.paid()).isEqualTo(1);
      assertThat(feed.started()).as("the other one was not").isEqualTo(1);
      assertThat(feed.assigned()).isEqualTo(2);
      PaymentStatus payment = scene.payments.find(id).orElseThrow();
      assertThat(payment.state()).isEqualTo(PaymentState.FAILED);
      assertThat(payment.attempts()).isZero();
      assertThat(payment.reason())
          .startsWith("not made and not called: workflow payment/" + id + " of type Payroll");
      assertThat(scene.downstream.calls(id)).isZero();
      assertRuns(foreign);
    }
  }

  /** It would count as started, and wait for a worker of another Weir. */
  @Test
  void paymentWhoseWorkflowIdAnotherWeirHasFailsWithTheReason() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      String id = scene.payment(0).paymentId();
      WorkflowStub foreign =
          startForeign(scene, SinglePaymentWorkflow.class.getSimpleName(), "payment/" + id);
      scene.receive("f", scene.feed(2));
      FeedStatus feed = scene.awaitDone("f");
      assertThat(feed.paid()).isEqualTo(1);
      assertThat(feed.started()).isEqualTo(1);
      assertThat(scene.payments.find(id).orElseThrow().reason())
          .contains("on task queue payroll-" + scene.name);
      assertRuns(foreign);
    }
  }

  @Test
  void feedWhoseWorkflowIdIsTakenKeepsNoPaymentFromBeingStartedAgain() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      FeedScope all = new FeedScope.All();
      scene.store.hold(all, "ann");
      scene.receive("f", scene.feed(1));
      scene.time.pass(Duration.ofHours(1));
      startForeign(
          scene,
          FeedStartWorkflow.class.getSimpleName(),
          Payment.RESERVED_PREFIX + scene.feedId("other"));
      assertThatThrownBy(() -> scene.receive("other", PaymentScene.feed(List.of(scene.payment(7)))))
          .isInstanceOf(IllegalStateException.class);
      scene.store.resume(all, "ann");

      assertThatThrownBy(() -> scene.reconciler(Duration.ofMinutes(1)).run())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has its id");

      assertThat(scene.awaitDone("f").paid()).isEqualTo(1);
    }
  }

  /** Its workflow has ended, because it was held, and another one has got its id. */
  @Test
  void paymentThatWasCalledBeforeItsWorkflowIdWasTakenMayHaveBeenMade() {
    Downstream unclear =
        new Downstream() {
          @Override
          public Answer pay(Payment payment) {
            return new Answer.Unknown(Duration.ZERO, "perhaps", false);
          }

          @Override
          public Duration maxCallTime() {
            return Duration.ofSeconds(3);
          }

          @Override
          public void close() {}
        };
    try (PaymentScene scene = PaymentScene.open(CALM, time -> unclear)) {
      String id = scene.payment(0).paymentId();
      scene.receive("f", scene.feed(1));
      scene.time.await(
          "a call", Duration.ofHours(1), () -> scene.store.find(id).orElseThrow().attempts() > 0);
      FeedScope feed = new FeedScope.One(scene.feedId("f"));
      scene.store.hold(feed, "ann");
      WorkflowStub own = scene.time.client().newUntypedWorkflowStub("payment/" + id);
      scene.time.await(
          "the end of its workflow",
          Duration.ofHours(1),
          () ->
              own.describe().getStatus()
                  == WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED);
      scene.time.pass(Duration.ofMinutes(2));
      // Time is not skipped any more while it waits for its worker.
      WorkflowStub foreign = startForeign(scene, "payment/" + id);
      scene.store.resume(feed, "ann");

      scene.reconciler(Duration.ofMinutes(1)).run();

      PaymentStatus payment = scene.payments.find(id).orElseThrow();
      assertThat(payment.state()).isEqualTo(PaymentState.FAILED);
      assertThat(payment.reason())
          .startsWith("not called again, and may have been made: workflow payment/" + id);
      assertThat(scene.status("f").started()).as("it was, before").isEqualTo(1);
      assertRuns(foreign);
    }
  }

  @Test
  void feedWhoseWorkflowIdIsTakenIsReported() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      startForeign(scene, Payment.RESERVED_PREFIX + scene.feedId("f"));
      assertThatThrownBy(() -> scene.receive("f", scene.feed(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("of type Payroll on task queue payroll-" + scene.name);
      assertThatThrownBy(() -> scene.reconciler(Duration.ofMinutes(1)).resumeFeeds())
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
