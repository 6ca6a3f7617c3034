package dev.weir.client;

import java.time.Duration;
import java.util.Optional;

/** The result of a request for a slot. */
public sealed interface Assignment extends SlotReply {
  /**
   * The event has a slot.
   *
   * @param replayed true if it had it before
   */
  record Assigned(Slot slot, boolean replayed) implements Assignment {
    @Override
    public String eventId() {
      return slot.eventId();
    }
  }

  /**
   * No place is free within the max delay of the configuration.
   *
   * @param retryAfter when the same request may find one; empty in a batch, and if waiting does not
   *     help because the request names its time
   */
  record NoCapacity(String eventId, Optional<Duration> retryAfter, Problem problem)
      implements Assignment {}

  /** The configuration does not exist. */
  record UnknownConfig(String eventId, Problem problem) implements Assignment {}
}
