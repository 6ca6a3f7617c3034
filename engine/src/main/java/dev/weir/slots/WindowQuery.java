package dev.weir.slots;

import java.time.Instant;
import java.util.Optional;

/**
 * A query for the first {@code limit} windows with events of one configuration.
 *
 * @param from the earliest start of a window
 * @param until the time before which windows start
 */
public record WindowQuery(
    SlotConfig config, Optional<Instant> from, Optional<Instant> until, int limit) {
  public static final int MAX_PAGE = 10_000;

  private static final int DEFAULT_PAGE = 100;

  public WindowQuery {
    if (limit < 1 || limit > MAX_PAGE) {
      throw new IllegalArgumentException(
          "limit must be from 1 to %d, not %d".formatted(MAX_PAGE, limit));
    }
  }

  /** Returns a query for the first 100 windows with events. */
  public static WindowQuery of(SlotConfig config) {
    return new WindowQuery(config, Optional.empty(), Optional.empty(), DEFAULT_PAGE);
  }

  /** Returns this query for windows that start at a time or later. */
  public WindowQuery from(Instant time) {
    return new WindowQuery(config, Optional.of(time), until, limit);
  }

  /** Returns this query for windows that start before a time. */
  public WindowQuery until(Instant time) {
    return new WindowQuery(config, from, Optional.of(time), limit);
  }

  /** Returns this query with another maximum number of windows. */
  public WindowQuery limit(int max) {
    return new WindowQuery(config, from, until, max);
  }
}
