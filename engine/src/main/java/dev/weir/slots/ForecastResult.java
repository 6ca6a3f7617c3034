package dev.weir.slots;

import java.time.Instant;

/** The result of a forecast for a number of further events. */
public sealed interface ForecastResult {
  /** The last of the events would run at this time. */
  record Completion(Instant windowStart, Instant scheduledTime) implements ForecastResult {}

  /**
   * Only {@code placed} of the events would find a place within the configuration's maximum delay.
   */
  record NoCapacity(long placed) implements ForecastResult {}

  /**
   * {@code placed} of the events would run before {@code until}, where the forecast ends: it looks
   * at a bounded number of opening times and of windows in use. Whether the others would find a
   * place is not known.
   */
  record Beyond(Instant until, long placed) implements ForecastResult {}
}
