package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.workflows.SkippedTime;
import io.temporal.api.common.v1.WorkflowExecution;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workflows with more steps than one history should have. */
final class LongHistoryTest {
  private static final String QUEUE = "long";

  private final SkippedTime time = new SkippedTime();
  private final Worker worker =
      time.environment().newWorker(QUEUE, SkippedTime.workerOptions().build());

  LongHistoryTest() {
    PaymentWorker.registerWorkflows(
        worker, new StepTimes(Duration.ofMinutes(10), Duration.ofMinutes(10)));
  }

  @AfterEach
  void close() {
    time.close();
  }

  private WorkflowOptions options(String id) {
    return WorkflowOptions.newBuilder().setTaskQueue(QUEUE).setWorkflowId(id).build();
  }

  /** Waits for the end, over all runs, and returns the number of events of the first run. */
  private long eventsOfFirstRun(WorkflowExecution first) {
    time.client().newUntypedWorkflowStub(first.getWorkflowId()).getResult(Void.class);
    return time.client()
        .fetchHistory(first.getWorkflowId(), first.getRunId())
        .getHistory()
        .getEventsCount();
  }

  @Test
  void startOfAFeedContinuesAsNewWithoutLosingALine() {
    List<Long> lines = new ArrayList<>();
    worker.registerActivitiesImplementations(
        (FeedActivities)
            (feedId, afterLine) -> {
              lines.add(afterLine);
              return new FeedActivities.Progress(afterLine + 1_000, lines.size() == 260);
            });
    time.environment().start();
    FeedStartWorkflow workflow =
        time.client().newWorkflowStub(FeedStartWorkflow.class, options("feed"));
    WorkflowExecution first = WorkflowClient.start(workflow::start, "feed", 0L);
    assertThat(eventsOfFirstRun(first)).isBetween(1_000L, 2_000L);
    assertThat(lines).hasSize(260);
    for (int i = 0; i < lines.size(); i++) {
      assertThat(lines.get(i)).isEqualTo(1_000L * i);
    }
  }

  @Test
  void paymentThatWaitsForLongContinuesAsNew() {
    AtomicInteger attempts = new AtomicInteger();
    worker.registerActivitiesImplementations(
        new PaymentActivities() {
          @Override
          public Step pay(String paymentId) {
            return attempts.incrementAndGet() == 210 ? Step.ENDED : Step.waiting(60_000);
          }

          @Override
          public Step record(Report report) {
            throw new IllegalStateException("there is nothing to record");
          }
        });
    time.environment().start();
    SinglePaymentWorkflow workflow =
        time.client().newWorkflowStub(SinglePaymentWorkflow.class, options("payment"));
    WorkflowExecution first = WorkflowClient.start(workflow::pay, "payment");
    assertThat(eventsOfFirstRun(first)).isBetween(1_000L, 2_500L);
    assertThat(attempts).hasValue(210);
  }
}
