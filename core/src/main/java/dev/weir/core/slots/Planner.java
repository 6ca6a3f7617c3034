package dev.weir.core.slots;

import dev.weir.core.Micros;
import java.util.random.RandomGenerator;

/**
 * Finds the earliest free place for an event and takes it.
 *
 * <p>The first window is the one that holds the wanted time: only its places from that time on can
 * be used. After it, the first window that no run covers has a usable place, because a window
 * without one is always part of a run. So the search costs a few tree look-ups, however many full
 * windows lie ahead.
 */
public final class Planner {
  /**
   * Windows that are open, but not at any of their places, are rare, and each is looked at once. A
   * calendar that leaves nothing but such windows must not be searched to the end of time.
   */
  static final int MOST_WITHOUT_A_PLACE = 10_000;

  private Planner() {}

  /** Places one event; takes a place only if it answers {@link Placement.Placed}. */
  public static Placement place(
      OccupancyView picture, PlacementRequest wish, RandomGenerator random) {
    SlotPolicy terms = picture.terms();
    Calendar.Span allowed = wish.allowed(terms);
    long wanted = terms.windowStart(allowed.fromMicros());
    long start = terms.nextOpenWindow(allowed.fromMicros());
    int withoutPlace = 0;
    while (start <= Micros.LATEST && withoutPlace < MOST_WITHOUT_A_PLACE) {
      long free = picture.firstNotFull(start);
      if (free != start) {
        start = free;
        continue;
      }
      if (!picture.covers(start)) {
        return new Placement.Unknown(start);
      }
      Window window = picture.window(start);
      int place = Availability.lowestPlace(terms, window, allowed);
      if (place != Places.NONE) {
        long time = Availability.time(terms, window, place, allowed, random);
        picture.take(window, place);
        return new Placement.Placed(start, place, time, (start - wanted) / terms.windowMicros());
      }
      Calendar.Span anyLater = new Calendar.Span(allowed.fromMicros(), Micros.LATEST + 1);
      int tooLate = Availability.lowestPlace(terms, window, anyLater);
      if (tooLate != Places.NONE) {
        return new Placement.NoRoom(Availability.time(terms, window, tooLate, anyLater, random));
      }
      if (start >= allowed.fromMicros()) {
        // Open, but not at any of its places: let no later search look here again.
        picture.markFull(start);
        withoutPlace++;
      }
      start = terms.nextOpenWindow(start + terms.windowMicros());
    }
    return new Placement.NoRoom(Calendar.NEVER);
  }
}
