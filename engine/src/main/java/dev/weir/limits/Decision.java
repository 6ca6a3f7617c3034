package dev.weir.limits;

import dev.weir.internal.Micros;
import java.time.Duration;

/** A limit's decision about a request: allowed or refused. */
public sealed interface Decision extends Outcome {
  /** The caller may proceed, and the requested units were taken. */
  record Allowed(long remaining, long resetMicros) implements Decision {}

  /**
   * The caller may not proceed, and nothing was taken.
   *
   * @param retryAfterMicros the shortest time after which the same request is allowed if no units
   *     are taken until then
   */
  record Refused(long remaining, long resetMicros, long retryAfterMicros) implements Decision {
    /** The shortest time after which the same request may be allowed. */
    public Duration retryAfter() {
      return Micros.duration(retryAfterMicros);
    }
  }
}
