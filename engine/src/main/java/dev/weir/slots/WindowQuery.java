package dev.weir.slots;

import java.time.Instant;

/** A query for the first {@code limit} windows of one configuration that start in [from, until). */
public record WindowQuery(SlotConfig config, Instant from, Instant until, int limit) {
  public static final int MAX_PAGE = 10_000;

  public WindowQuery {
    if (limit < 1 || limit > MAX_PAGE) {
      throw new IllegalArgumentException(
          "limit must be from 1 to %d, not %d".formatted(MAX_PAGE, limit));
    }
  }
}
