package dev.weir.engine.slots;

import java.time.Instant;

/** Which windows to count: of one configuration, started in [from, until), the first so many. */
public record WindowQuery(SlotConfig config, Instant from, Instant until, int limit) {
  public static final int LARGEST_PAGE = 10_000;

  public WindowQuery {
    if (limit < 1 || limit > LARGEST_PAGE) {
      throw new IllegalArgumentException(
          "limit must be from 1 to %d, not %d".formatted(LARGEST_PAGE, limit));
    }
  }
}
