package dev.weir.core.slots;

import dev.weir.core.Micros;

/**
 * When a number of further events would be through, found by counting free places instead of taking
 * them. Ask {@link #step} until it answers something other than {@link Outcome.Unknown}.
 *
 * <p>Stretches of empty windows are counted by division, so that the cost follows what is in the
 * picture, not the number of events.
 */
public final class Forecast {
  private final SlotPolicy terms;
  private final Calendar.Span allowed;
  private final long events;
  private long start;
  private long left;

  public Forecast(SlotPolicy terms, PlacementRequest wish, long events) {
    if (events < 1) {
      throw new IllegalArgumentException("events must be at least 1, not " + events);
    }
    this.terms = terms;
    this.allowed = wish.allowed(terms);
    this.events = events;
    this.start = terms.nextOpenWindow(allowed.fromMicros());
    this.left = events;
  }

  /** What a forecast says. */
  public sealed interface Outcome {
    /** The last event would run in this window, at this time under {@link Spread#EVEN}. */
    record Through(long windowStartMicros, long scheduledMicros) implements Outcome {}

    /** Only so many of the events would find a place within the allowed delay. */
    record NoRoom(long placed) implements Outcome {}

    /** The picture does not cover this window: add that page and ask again. */
    record Unknown(long fromMicros) implements Outcome {}
  }

  /** Goes on as far as the picture is known. */
  public Outcome step(OccupancyView picture) {
    int withoutPlace = 0;
    while (start < allowed.untilMicros() && withoutPlace < Planner.MOST_WITHOUT_A_PLACE) {
      long free = picture.firstNotFull(start);
      if (free != start) {
        start = free;
        continue;
      }
      if (!picture.covers(start)) {
        return new Outcome.Unknown(start);
      }
      if (skipEmpty(picture)) {
        continue;
      }
      Window window = picture.window(start);
      int room = Availability.count(terms, window, allowed);
      if (room >= left) {
        return last(window.copy());
      }
      left -= room;
      withoutPlace = room == 0 ? withoutPlace + 1 : 0;
      start = terms.nextOpenWindow(start + terms.windowMicros());
    }
    return new Outcome.NoRoom(events - left);
  }

  /**
   * Counts the whole windows that lie empty and open ahead, all but the one that may be the last.
   */
  private boolean skipEmpty(OccupancyView picture) {
    if (start < allowed.fromMicros() || picture.window(start).taken() > 0) {
      return false;
    }
    Calendar.Span open = terms.calendar().openAt(start);
    long until =
        Math.min(
            Math.min(picture.nextUsed(start), picture.coveredUntil(start)),
            Math.min(open.untilMicros(), allowed.untilMicros()));
    if (open.fromMicros() > start || until <= start) {
      return false;
    }
    long windows =
        Math.min((until - start) / terms.windowMicros(), (left - 1) / terms.maxPerWindow());
    if (windows == 0) {
      return false;
    }
    left -= windows * terms.maxPerWindow();
    start = terms.nextOpenWindow(start + windows * terms.windowMicros());
    return true;
  }

  /** Fills the last window, because its places are not in the order of time. */
  private Outcome last(Window window) {
    long scheduled = Long.MIN_VALUE;
    for (; left > 0; left--) {
      int place = Availability.lowestPlace(terms, window, allowed);
      window.take(place);
      long time =
          switch (terms.spread()) {
            case EVEN -> window.startMicros() + Places.offsetMicros(place, terms.windowMicros());
            case RANDOM -> Math.min(window.startMicros() + terms.windowMicros() - 1, Micros.LATEST);
          };
      scheduled = Math.max(scheduled, time);
    }
    return new Outcome.Through(window.startMicros(), scheduled);
  }
}
