package dev.weir.core.limits;

import dev.weir.core.Micros;
import java.time.Duration;

/** What a limit says to a demand. */
public sealed interface Decision {
  /** What is left for others right after this decision. */
  long remaining();

  /** How long until more than {@link #remaining} is left, if nobody takes any; 0 if all is. */
  long resetMicros();

  default Duration reset() {
    return Micros.duration(resetMicros());
  }

  default boolean isAllowed() {
    return this instanceof Allowed;
  }

  /** It may pass now. */
  record Allowed(long remaining, long resetMicros) implements Decision {}

  /**
   * It may pass after a wait.
   *
   * @param position its place in the queue, the first is 1
   */
  record Delayed(long remaining, long resetMicros, long delayMicros, int position)
      implements Decision {
    public Duration delay() {
      return Micros.duration(delayMicros);
    }
  }

  /**
   * It may not pass, and nothing was taken.
   *
   * @param retryAfterMicros the shortest time after which the same demand is allowed, if nobody
   *     takes any until then
   */
  record Refused(long remaining, long resetMicros, long retryAfterMicros) implements Decision {
    public Duration retryAfter() {
      return Micros.duration(retryAfterMicros);
    }
  }
}
