package dev.weir.payments.workflows;

import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/** Gives the payments of a received feed their slots and starts their workflows. */
@WorkflowInterface
public interface FeedStartWorkflow {
  /**
   * Starts the payments of a feed, chunk by chunk.
   *
   * @param afterLine the line after which payments may not be started yet
   */
  @WorkflowMethod
  void start(String feedId, long afterLine);
}
