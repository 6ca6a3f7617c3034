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

  /** A position in the order of slots: by time, then by the code points of the event id. */
  public record Cursor(Instant scheduledTime, String eventId) implements Comparable<Cursor> {
    /** Before the first slot. */
    public static final Cursor START = new Cursor(Instant.MIN, "");

    public static Cursor of(Slot slot) {
      return new Cursor(slot.scheduledTime(), slot.eventId());
    }

    @Override
    public int compareTo(Cursor other) {
      int byTime = scheduledTime.compareTo(other.scheduledTime);
      return byTime == 0 ? byCodePoints(eventId, other.eventId) : byTime;
    }

    /** Not {@link String#compareTo}: it puts surrogate pairs before U+E000, databases do not. */
    private static int byCodePoints(String one, String other) {
      int at = 0;
      int until = Math.min(one.length(), other.length());
      while (at < until && one.charAt(at) == other.charAt(at)) {
        at++;
      }
      if (at == until) {
        return Integer.compare(one.length(), other.length());
      }
      boolean astral = Character.isSurrogate(one.charAt(at));
      if (astral != Character.isSurrogate(other.charAt(at))) {
        return astral ? 1 : -1;
      }
      return Character.compare(one.charAt(at), other.charAt(at));
    }
  }
}
