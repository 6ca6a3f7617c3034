package dev.weir.payments.workflows;

import io.temporal.activity.ActivityInterface;

/** What {@link FeedStartWorkflow} does outside of its history. */
@ActivityInterface
public interface FeedActivities {
  /** Starts the payments of the next chunks of a feed. */
  Progress startChunk(String feedId, long afterLine);

  /**
   * How far the start of a feed has come.
   *
   * @param line the line up to which payments are started
   * @param isComplete whether there are no more
   */
  record Progress(long line, boolean isComplete) {}
}
