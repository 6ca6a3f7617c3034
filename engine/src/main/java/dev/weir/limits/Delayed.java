package dev.weir.limits;

import dev.weir.internal.Micros;
import java.time.Duration;

/**
 * The caller holds a place in a {@link Queue} and may proceed after a delay, without another
 * request.
 *
 * @param position the caller's place in the queue; the first is 1
 */
public record Delayed(long remaining, long resetMicros, long delayMicros, int position)
    implements Outcome {
  /** Time after which the caller may proceed. */
  public Duration delay() {
    return Micros.duration(delayMicros);
  }
}
