package dev.weir.engine.slots;

import java.time.Instant;

/**
 * Which slots to list: of one configuration, scheduled in [from, until), a page at a time.
 *
 * @param after where the page before this one ended
 */
public record SlotQuery(
    String configName, Instant from, Instant until, Filter filter, Cursor after, int limit) {

  public static final int LARGEST_PAGE = 10_000;

  public SlotQuery {
    if (limit < 1 || limit > LARGEST_PAGE) {
      throw new IllegalArgumentException(
          "limit must be from 1 to %d, not %d".formatted(LARGEST_PAGE, limit));
    }
  }

  /** Which states to list. */
  public enum Filter {
    ALL,
    ASSIGNED,
    CONFIRMED,
    CANCELLED,
    RECLAIMED,
    /** Assigned, never confirmed, and past its time. */
    LEAKED;

    boolean passes(Slot slot, Instant now) {
      return switch (this) {
        case ALL -> true;
        case ASSIGNED -> slot.state() == SlotState.ASSIGNED;
        case CONFIRMED -> slot.state() == SlotState.CONFIRMED;
        case CANCELLED -> slot.state() == SlotState.CANCELLED;
        case RECLAIMED -> slot.state() == SlotState.RECLAIMED;
        case LEAKED -> slot.state() == SlotState.ASSIGNED && slot.scheduledTime().isBefore(now);
      };
    }
  }

  /** A position in the order of slots. */
  public record Cursor(Instant scheduledTime, String eventId) {
    /** Before the first slot. */
    public static final Cursor START = new Cursor(Instant.MIN, "");
  }
}
