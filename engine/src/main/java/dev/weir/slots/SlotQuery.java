package dev.weir.slots;

import java.time.Instant;

/**
 * A query for a page of the slots of one configuration, scheduled in [from, until).
 *
 * @param after the end of the previous page
 */
public record SlotQuery(
    String configName, Instant from, Instant until, Filter filter, Cursor after, int limit) {

  public static final int MAX_PAGE = 10_000;

  public SlotQuery {
    if (limit < 1 || limit > MAX_PAGE) {
      throw new IllegalArgumentException(
          "limit must be from 1 to %d, not %d".formatted(MAX_PAGE, limit));
    }
  }

  /** The states to list. */
  public enum Filter {
    ALL,
    ASSIGNED,
    CONFIRMED,
    CANCELLED,
    RECLAIMED,
    /** Assigned, never confirmed, and past its scheduled time. */
    LEAKED;

    /** Returns true if a slot is among those that this filter selects. */
    public boolean passes(Slot slot, Instant now) {
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

  /** A position in the order of slots: by time, then by the code points of the event id. */
  public record Cursor(Instant scheduledTime, String eventId) implements Comparable<Cursor> {
    /** The position before the first slot. */
    public static final Cursor START = new Cursor(Instant.MIN, "");

    public static Cursor of(Slot slot) {
      return new Cursor(slot.scheduledTime(), slot.eventId());
    }

    @Override
    public int compareTo(Cursor other) {
      int byTime = scheduledTime.compareTo(other.scheduledTime);
      return byTime == 0 ? byCodePoints(eventId, other.eventId) : byTime;
    }

    /**
     * Compares by code points. {@link String#compareTo} orders surrogate pairs before U+E000,
     * unlike databases.
     */
    private static int byCodePoints(String first, String second) {
      int at = 0;
      int until = Math.min(first.length(), second.length());
      while (at < until && first.charAt(at) == second.charAt(at)) {
        at++;
      }
      if (at == until) {
        return Integer.compare(first.length(), second.length());
      }
      boolean astral = Character.isSurrogate(first.charAt(at));
      if (astral != Character.isSurrogate(second.charAt(at))) {
        return astral ? 1 : -1;
      }
      return Character.compare(first.charAt(at), second.charAt(at));
    }
  }
}
