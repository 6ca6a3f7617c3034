package dev.weir.limits;

import dev.weir.internal.Micros;
import java.time.Duration;

/**
 * The outcome of a request to a limit with a queue in front of it: a {@link Decision}, or a wait.
 */
public sealed interface Outcome permits Decision, Delayed {
  /** Units left for others right after this outcome. */
  long remaining();

  /** Time until more than {@link #remaining} units are left if none are taken; 0 if all are. */
  long resetMicros();

  /** Time until more than {@link #remaining} units are left if none are taken; zero if all are. */
  default Duration reset() {
    return Micros.duration(resetMicros());
  }

  /** Returns true if the caller may proceed immediately. */
  default boolean isAllowed() {
    return this instanceof Decision.Allowed;
  }
}
