package dev.weir.slots;

import java.time.Instant;
import java.util.Optional;

/**
 * A query for a page of the slots of one configuration, in the order of their times.
 *
 * @param from the earliest scheduled time
 * @param until the scheduled time before which slots are listed
 * @param after the end of the previous page; empty for the first page
 */
public record SlotQuery(
    String configName,
    Optional<Instant> from,
    Optional<Instant> until,
    Filter filter,
    Optional<Cursor> after,
    int limit) {
  public static final int MAX_PAGE = 10_000;

  private static final int DEFAULT_PAGE = 100;

  public SlotQuery {
    if (limit < 1 || limit > MAX_PAGE) {
      throw new IllegalArgumentException(
          "limit must be from 1 to %d, not %d".formatted(MAX_PAGE, limit));
    }
  }

  /** Returns a query for the first 100 slots of a configuration. */
  public static SlotQuery of(String configName) {
    return new SlotQuery(
        configName, Optional.empty(), Optional.empty(), Filter.ALL, Optional.empty(), DEFAULT_PAGE);
  }

  /** Returns this query for slots that are scheduled at a time or later. */
  public SlotQuery from(Instant time) {
    return new SlotQuery(configName, Optional.of(time), until, filter, after, limit);
  }

  /** Returns this query for slots that are scheduled before a time. */
  public SlotQuery until(Instant time) {
    return new SlotQuery(configName, from, Optional.of(time), filter, after, limit);
  }

  public SlotQuery filter(Filter other) {
    return new SlotQuery(configName, from, until, other, after, limit);
  }

  /** Returns the query for the page that follows a slot, the last one of the page before. */
  public SlotQuery after(Slot last) {
    return after(Cursor.of(last));
  }

  /** Returns the query for the page that follows a position. */
  public SlotQuery after(Cursor position) {
    return new SlotQuery(configName, from, until, filter, Optional.of(position), limit);
  }

  /** Returns this query with another maximum number of slots. */
  public SlotQuery limit(int max) {
    return new SlotQuery(configName, from, until, filter, after, max);
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
