package dev.weir.notifications.analytics;

import java.time.Instant;

/**
 * The times from {@code from}, inclusive, to {@code to}, exclusive.
 *
 * @param from before {@code to}
 */
public record TimeRange(Instant from, Instant to) {
  public TimeRange {
    if (!from.isBefore(to)) {
      throw new IllegalArgumentException(
          "from must be before to, not %s and %s".formatted(from, to));
    }
  }
}
