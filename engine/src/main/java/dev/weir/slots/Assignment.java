package dev.weir.slots;

import java.time.Duration;
import java.time.Instant;

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
   * @param freeTime a time at which a place is free; {@link #NOWHERE} if there is none up to the
   *     last time that can be assigned
   * @param retryAfter the time after which the same request would find a place, as far as known
   *     now; {@link #NEVER} if the request names its time, because waiting does not bring that
   *     nearer
   */
  record NoCapacity(SlotRequest request, Instant freeTime, Duration retryAfter)
      implements Assignment {
    /** The free time if no place is left in the whole range of times. */
    public static final Instant NOWHERE = Instant.MAX;

    /** The wait of a request that waiting does not help. */
    public static final Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);

    /** Returns true if the same request finds a place later, as far as known now. */
    public boolean waitingHelps() {
      return !retryAfter.equals(NEVER);
    }

    /**
     * Returns the wait in whole seconds, rounded up and at least 1, as needed for a header. Call it
     * only if {@linkplain #waitingHelps waiting helps}.
     */
    public long retryAfterSeconds() {
      return Math.max(1, retryAfter.plusNanos(999_999_999).toSeconds());
    }
  }

  /** The configuration does not exist. */
  record UnknownConfig(SlotRequest request) implements Assignment {}
}
