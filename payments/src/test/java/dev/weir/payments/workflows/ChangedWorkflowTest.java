package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.workflows.SkippedTime;
import io.temporal.api.enums.v1.EventType;
import io.temporal.api.history.v1.HistoryEvent;
import io.temporal.client.WorkflowOptions;
import io.temporal.common.WorkflowExecutionHistory;
import io.temporal.testing.WorkflowHistoryLoader;
import io.temporal.testing.WorkflowReplayer;
import io.temporal.worker.Worker;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * How a workflow is changed while payments are under way: what it does first is new, and executions
 * that began before the change go on as they began.
 */
final class ChangedWorkflowTest {
  private static final String QUEUE = "changed";
  private static final List<String> OLD_HISTORIES = List.of("payment-paid", "payment-waited");
  private static final StepTimes TIMES =
      new StepTimes(Duration.ofMinutes(10), Duration.ofMinutes(10));

  private final SkippedTime time = new SkippedTime();
  private final Worker worker =
      time.environment().newWorker(QUEUE, SkippedTime.workerOptions().build());

  @AfterEach
  void close() {
    time.close();
  }

  /**
   * A later version, which waits before its first call.
   *
   * @param isVersioned whether it asks the history which version it began with
   */
  private record Changed(boolean isVersioned) implements SinglePaymentWorkflow {
    @Override
    public void pay(String paymentId) {
      if (!isVersioned || Workflow.getVersion("wait-first", Workflow.DEFAULT_VERSION, 1) == 1) {
        Workflow.sleep(Duration.ofSeconds(1));
      }
      new SinglePaymentRun(TIMES).pay(paymentId);
    }
  }

  private void register(Changed workflow) {
    worker.registerWorkflowImplementationFactory(SinglePaymentWorkflow.class, () -> workflow);
  }

  private void replay(String name) throws Exception {
    WorkflowReplayer.replayWorkflowExecution(
        WorkflowHistoryLoader.readHistoryFromResource("histories/1/" + name + ".json"), worker);
  }

  @Test
  void versionedChangeReplaysOldHistories() {
    register(new Changed(true));
    for (String name : OLD_HISTORIES) {
      assertThatCode(() -> replay(name)).as(name).doesNotThrowAnyException();
    }
  }

  @Test
  void changeWithoutAVersionIsFoundByReplaying() {
    register(new Changed(false));
    for (String name : OLD_HISTORIES) {
      assertThatThrownBy(() -> replay(name))
          .as(name)
          .hasStackTraceContaining("NonDeterministicException");
    }
  }

  @Test
  void newExecutionsFollowTheChange() throws Exception {
    register(new Changed(true));
    worker.registerActivitiesImplementations(
        new PaymentActivities() {
          @Override
          public Step pay(String paymentId) {
            return Step.ENDED;
          }

          @Override
          public Step record(Report report) {
            throw new IllegalStateException("there is nothing to record");
          }
        });
    time.environment().start();
    time.client()
        .newWorkflowStub(
            SinglePaymentWorkflow.class,
            WorkflowOptions.newBuilder().setTaskQueue(QUEUE).setWorkflowId("new").build())
        .pay("new");
    WorkflowExecutionHistory history = time.client().fetchHistory("new");
    assertThat(history.getHistory().getEventsList())
        .extracting(HistoryEvent::getEventType)
        .containsSubsequence(
            EventType.EVENT_TYPE_MARKER_RECORDED,
            EventType.EVENT_TYPE_TIMER_FIRED,
            EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED);
    WorkflowReplayer.replayWorkflowExecution(history, worker);
  }
}
