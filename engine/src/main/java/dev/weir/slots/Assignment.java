package dev.weir.slots;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The result of a slot request. */
public sealed interface Assignment extends AssignReply {
  /**
   * The event has a slot.
   *
   * @param replayed true if the event already had the slot
   * @param lookahead the number of windows between the wanted one and the assigned one
   */
  record Assigned(Slot slot, boolean replayed, long lookahead) implements Assignment {}

  /**
   * No place is free within the configuration's maximum delay.
   *
   * @param freeTime a time at which a place is free; empty if there is none up to the last time
   *     that can be assigned
   * @param retryAfter the time after which the same request would find a place, as far as known
   *     now; empty if the request names its time, because waiting does not bring that nearer
   */
  record NoCapacity(SlotRequest request, Optional<Instant> freeTime, Optional<Duration> retryAfter)
      implements Assignment {}

  /** The configuration does not exist. */
  record UnknownConfig(SlotRequest request) implements Assignment {}
}
