package dev.weir.engine.slots;

import java.time.Duration;
import java.time.Instant;

/** The answer to a request for a slot. */
public sealed interface Assignment extends AssignReply {
  /**
   * The event has its slot.
   *
   * @param replayed whether it had the slot before it asked
   * @param lookahead how many windows lie between the wanted one and the given one
   */
  record Assigned(Slot slot, boolean replayed, long lookahead) implements Assignment {}

  /**
   * No place is free within the configuration's longest delay.
   *
   * @param freeTime a time at which a place is free, {@link #NOWHERE} if there is none up to the
   *     last time that can be given
   * @param retryAfter when the same request would find a place, as far as can be told now; {@link
   *     #NEVER} if the request names its time, because that comes no nearer by waiting
   */
  record NoRoom(SlotRequest request, Instant freeTime, Duration retryAfter) implements Assignment {
    /** The free time if no place is left up to the end of time. */
    public static final Instant NOWHERE = Instant.MAX;

    /** The wait of a request that waiting does not help. */
    public static final Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);

    /** Returns true if the same request finds a place later, as far as can be told now. */
    public boolean waitingHelps() {
      return !retryAfter.equals(NEVER);
    }

    /**
     * Whole seconds, rounded up and at least one: what a header can say. Only if {@linkplain
     * #waitingHelps waiting helps}.
     */
    public long retryAfterSeconds() {
      return Math.max(1, retryAfter.plusNanos(999_999_999).toSeconds());
    }
  }

  /** There is no such configuration. */
  record UnknownConfig(SlotRequest request) implements Assignment {}
}
