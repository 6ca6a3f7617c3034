package dev.weir.torture;

import java.time.Duration;

/**
 * How a round is played.
 *
 * @param time how long there are load and faults
 * @param callers of each capability
 * @param maxWait how long what has to end may take after everything is mended
 */
public record Plan(Duration time, int callers, Trouble trouble, Duration maxWait) {
  /** As many callers as keep two cores busy. */
  static final int CALLERS = 5;

  /** Far more than anything needs, however busy the machine is. */
  static final Duration MAX_WAIT = Duration.ofMinutes(6);

  static Plan of(Duration time) {
    return new Plan(time, CALLERS, new Trouble.All(), MAX_WAIT);
  }
}
