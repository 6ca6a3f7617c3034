package dev.weir.client;

import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * How often a call is attempted, and the pauses in between. Each pause is twice the one before, and
 * shortened by chance to no less than half of it, so that many clients do not return together.
 *
 * <p>A call is attempted again only if the failure is temporary, and if nothing was done, or if it
 * may be repeated: it reads, or has an id by which the server recognizes it.
 *
 * @param maxAttempts from 1, which means no repetition
 * @param firstPause the pause after the first attempt
 * @param maxPause the longest pause; one that the server asks for may be longer
 */
public record Retries(int maxAttempts, Duration firstPause, Duration maxPause) {
  /** Every call is attempted once. */
  public static final Retries NONE = new Retries(1, Duration.ofMillis(100), Duration.ofMillis(100));

  /** Up to four attempts, with pauses from 100 ms on. */
  public static final Retries DEFAULT =
      new Retries(4, Duration.ofMillis(100), Duration.ofSeconds(5));

  private static final int MAX_ATTEMPTS = 1_000;
  private static final int MAX_DOUBLINGS = 30;

  public Retries {
    if (maxAttempts < 1 || maxAttempts > MAX_ATTEMPTS) {
      throw new IllegalArgumentException(
          "maxAttempts must be from 1 to %d, not %d".formatted(MAX_ATTEMPTS, maxAttempts));
    }
    Requirements.positive("firstPause", firstPause);
    Requirements.positive("maxPause", maxPause);
  }

  /** Returns the pause after an attempt, from 1. */
  Duration pause(int attempt, Optional<Duration> asked, DoubleSupplier chance) {
    Duration doubled = firstPause.multipliedBy(1L << Math.min(attempt - 1, MAX_DOUBLINGS));
    Duration longest = doubled.compareTo(maxPause) < 0 ? doubled : maxPause;
    Duration pause =
        Duration.ofNanos((long) (longest.toNanos() * (0.5 + chance.getAsDouble() / 2)));
    return asked.filter(wanted -> wanted.compareTo(pause) > 0).orElse(pause);
  }
}
