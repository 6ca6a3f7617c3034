package dev.weir.slots.planning.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.Calendar;
import dev.weir.slots.NotBefore;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.util.Optional;

/** The times of a slot policy in microseconds, as the planner calculates with them. */
public final class PolicyTimes {
  /** The maximum delay of a policy without one. */
  public static final long UNBOUNDED = Long.MAX_VALUE;

  /** The end of the pause of a policy that is not paused. */
  public static final long NOT_PAUSED = Long.MIN_VALUE;

  private PolicyTimes() {}

  /** Returns a policy with these times. */
  public static SlotPolicy policy(
      int maxPerWindow,
      long windowMicros,
      Spread spread,
      long maxDelayMicros,
      NotBefore notBefore,
      Calendar calendar,
      long pausedUntilMicros) {
    return new SlotPolicy(
        maxPerWindow,
        Micros.duration(windowMicros),
        spread,
        maxDelayMicros == UNBOUNDED
            ? Optional.empty()
            : Optional.of(Micros.duration(maxDelayMicros)),
        notBefore,
        calendar,
        pausedUntilMicros == NOT_PAUSED
            ? Optional.empty()
            : Optional.of(Micros.instant(pausedUntilMicros)));
  }

  /** Returns the maximum delay, or {@link #UNBOUNDED}. */
  public static long maxDelayMicros(SlotPolicy policy) {
    return policy.maxDelay().isEmpty() ? UNBOUNDED : Micros.floor(policy.maxDelay().get());
  }

  /** Returns the end of the pause, or {@link #NOT_PAUSED}. */
  public static long pausedUntilMicros(SlotPolicy policy) {
    return policy.pausedUntil().isEmpty() ? NOT_PAUSED : Micros.ceil(policy.pausedUntil().get());
  }

  /**
   * Returns the start of the first window at or after {@code micros} that is open for part of its
   * time; {@link TimeSpan#NEVER} if there is none.
   */
  public static long nextOpenWindow(SlotPolicy policy, long micros) {
    long open = OpenTimes.at(policy.calendar(), micros).fromMicros();
    return open > Micros.LATEST ? TimeSpan.NEVER : policy.windowStart(Math.max(open, micros));
  }
}
