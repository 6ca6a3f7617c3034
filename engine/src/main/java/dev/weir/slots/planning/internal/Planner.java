package dev.weir.slots.planning.internal;

import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.SlotPolicy;
import java.util.random.RandomGenerator;

/**
 * Finds the earliest free place for an event and takes it.
 *
 * <p>The first window is the one that contains the wanted time: only its places from that time on
 * are usable. After it, the first window that no run covers has a usable place, because a window
 * without one is always part of a run. So the search costs a few tree look-ups, regardless of the
 * number of full windows ahead.
 */
public final class Planner {
  /**
   * The maximum number of open windows without an open place that one search examines. Such windows
   * are rare, and each is examined only once, but a calendar that consists only of such windows
   * must not be searched to the end of time.
   */
  static final int MAX_WINDOWS_WITHOUT_PLACE = 10_000;

  private Planner() {}

  /** Places one event. Takes a place only if the result is {@link Placement.Placed}. */
  public static Placement place(
      OccupancyView view, PlacementRequest request, RandomGenerator random) {
    SlotPolicy policy = view.policy();
    TimeSpan allowed = request.allowed(policy);
    long wanted = policy.windowStart(allowed.fromMicros());
    long start = PolicyTimes.nextOpenWindow(policy, allowed.fromMicros());
    int withoutPlace = 0;
    while (start <= Micros.LATEST && withoutPlace < MAX_WINDOWS_WITHOUT_PLACE) {
      long free = view.firstNotFull(start);
      if (free != start) {
        start = free;
        continue;
      }
      if (!view.covers(start)) {
        return new Placement.Unknown(start);
      }
      Window window = view.window(start);
      int place = Availability.lowestPlace(policy, window, allowed);
      if (place != Places.NONE) {
        long time = Availability.time(policy, window, place, allowed, random);
        view.take(window, place);
        return new Placement.Placed(start, place, time, (start - wanted) / policy.windowMicros());
      }
      TimeSpan anyLater = new TimeSpan(allowed.fromMicros(), Micros.LATEST + 1);
      int tooLate = Availability.lowestPlace(policy, window, anyLater);
      if (tooLate != Places.NONE) {
        return new Placement.NoCapacity(
            Availability.time(policy, window, tooLate, anyLater, random));
      }
      if (start >= allowed.fromMicros()) {
        // Open, but not at any of its places: no later search needs to look here again.
        view.markFull(start);
        withoutPlace++;
      }
      start = PolicyTimes.nextOpenWindow(policy, start + policy.windowMicros());
    }
    return new Placement.NoCapacity(TimeSpan.NEVER);
  }
}
