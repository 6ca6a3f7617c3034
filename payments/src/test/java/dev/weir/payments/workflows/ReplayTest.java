package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.payments.Payment;
import dev.weir.payments.workflows.PaymentScene.Settings;
import dev.weir.workflows.SkippedTime;
import io.temporal.common.WorkflowExecutionHistory;
import io.temporal.testing.WorkflowHistoryLoader;
import io.temporal.testing.WorkflowReplayer;
import io.temporal.worker.Worker;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workflows do what their histories say: those of this version, and those of earlier ones. */
final class ReplayTest {
  private static final String QUEUE = "replay";

  private final SkippedTime replayer = new SkippedTime();
  private final Worker worker =
      replayer.environment().newWorker(QUEUE, SkippedTime.workerOptions().build());

  ReplayTest() {
    PaymentWorker.registerWorkflows(
        worker, new StepTimes(Duration.ofSeconds(20), Duration.ofSeconds(20)));
  }

  @AfterEach
  void close() {
    replayer.close();
  }

  private void replay(WorkflowExecutionHistory history) throws Exception {
    WorkflowReplayer.replayWorkflowExecution(history, worker);
  }

  @Test
  void replaysHistoriesWithWaitsRetriesAndCrashes() throws Exception {
    try (PaymentScene scene = PaymentScene.open(new Settings(100, 10, 0.3, 0.05))) {
      scene.receive("f", scene.feed(20));
      scene.awaitDone("f");
      long longest = 0;
      for (int i = 0; i < 20; i++) {
        WorkflowExecutionHistory history =
            scene
                .time
                .client()
                .fetchHistory(PaymentStarts.ID_PREFIX + scene.payment(i).paymentId());
        longest = Math.max(longest, history.getHistory().getEventsCount());
        replay(history);
      }
      assertThat(longest).as("some payments waited").isGreaterThan(18);
      replay(scene.time.client().fetchHistory(Payment.RESERVED_PREFIX + scene.feedId("f")));
    }
  }

  /** Recorded by the first version. A workflow that is open when Weir is updated has such a one. */
  @Test
  void replaysHistoriesOfEarlierVersions() {
    for (String name : List.of("payment-paid", "payment-waited", "feed-started")) {
      assertThatCode(
              () ->
                  replay(
                      WorkflowHistoryLoader.readHistoryFromResource(
                          "histories/1/" + name + ".json")))
          .as(name)
          .doesNotThrowAnyException();
    }
  }
}
