package dev.weir.payments.workflows;

import io.temporal.activity.ActivityOptions;
import io.temporal.common.RetryOptions;
import io.temporal.workflow.Workflow;
import java.time.Duration;

/**
 * Starts a feed. Its state is the line that it has reached, so continuing as new costs nothing:
 * each activity adds six events, three of its own and three of the workflow task after it, and
 * after {@link #MAX_ACTIVITIES} of them a new history begins.
 */
final class FeedStartRun implements FeedStartWorkflow {
  /** 1,500 events, far from Temporal's warning at 10,000 and its limit of 50,000. */
  private static final int MAX_ACTIVITIES = 250;

  private final FeedActivities activities;

  FeedStartRun(StepTimes times) {
    this.activities =
        Workflow.newActivityStub(
            FeedActivities.class,
            ActivityOptions.newBuilder()
                .setStartToCloseTimeout(Duration.ofMinutes(30))
                .setHeartbeatTimeout(times.heartbeat())
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
  public void start(String feedId, long afterLine) {
    long line = afterLine;
    for (int i = 0; i < MAX_ACTIVITIES; i++) {
      FeedActivities.Progress progress = activities.startChunk(feedId, line);
      if (progress.isComplete()) {
        return;
      }
      line = progress.line();
    }
    Workflow.newContinueAsNewStub(FeedStartWorkflow.class).start(feedId, line);
  }
}
