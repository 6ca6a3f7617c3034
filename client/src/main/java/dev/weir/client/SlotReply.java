package dev.weir.client;

import java.time.Duration;
import java.util.Optional;

/** The result for one of many events: an {@link Assignment}, or that the request has failed. */
public sealed interface SlotReply permits Assignment, SlotReply.Failed {
  /** Returns the event. */
  String eventId();

  /**
   * The event has no slot, because its request is invalid or the server's store did not answer.
   *
   * @param outcome {@link Outcome#UNKNOWN} if the event may have a slot; request it again
   */
  record Failed(String eventId, Problem problem, Outcome outcome) implements SlotReply {}

  /** Returns a slot's result from a problem. */
  static SlotReply of(String eventId, Problem problem, Optional<Duration> retryAfter) {
    if (problem.is("no-capacity")) {
      return new Assignment.NoCapacity(eventId, retryAfter, problem);
    }
    if (problem.is("unknown-config")) {
      return new Assignment.UnknownConfig(eventId, problem);
    }
    return new Failed(eventId, problem, problem.mayBeDone() ? Outcome.UNKNOWN : Outcome.NONE);
  }
}
