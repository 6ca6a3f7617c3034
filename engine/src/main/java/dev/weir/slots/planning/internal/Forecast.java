package dev.weir.slots.planning.internal;

import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;

/**
 * Calculates when a number of further events would be completed by counting free places instead of
 * taking them. Call {@link #step} until it returns something other than {@link Outcome.Unknown}.
 *
 * <p>Ranges of empty windows are counted by division, so the cost depends on the contents of the
 * view and on the opening times, and is bounded. Not thread-safe.
 */
public final class Forecast {
  /**
   * The maximum number of steps, each of which counts the windows of an opening time, or one window
   * that is in use. Otherwise many events would be counted over centuries of opening times.
   */
  static final int MAX_STEPS = 100_000;

  private final SlotPolicy policy;
  private final TimeSpan allowed;
  private final long events;
  private int steps;
  private long start;
  private long left;

  public Forecast(SlotPolicy policy, PlacementRequest request, long events) {
    if (events < 1) {
      throw new IllegalArgumentException("events must be at least 1, not " + events);
    }
    this.policy = policy;
    this.allowed = request.allowed(policy);
    this.events = events;
    this.start = PolicyTimes.nextOpenWindow(policy, allowed.fromMicros());
    this.left = events;
  }

  /** The result of a step of a forecast. */
  public sealed interface Outcome {
    /** The last event would run in this window, and under {@link Spread#EVEN} at this time. */
    record Completion(long windowStartMicros, long scheduledMicros) implements Outcome {}

    /** Only {@code placed} of the events would find a place within the allowed delay. */
    record NoCapacity(long placed) implements Outcome {}

    /** {@code placed} of the events run before this window, which was not looked at any more. */
    record Beyond(long windowStartMicros, long placed) implements Outcome {}

    /** The view does not cover this window: add the page that starts here and repeat the call. */
    record Unknown(long fromMicros) implements Outcome {}
  }

  /** Continues as far as the view covers the time. */
  public Outcome step(OccupancyView view) {
    int withoutPlaces = 0;
    while (start < allowed.untilMicros() && withoutPlaces < Planner.MAX_WINDOWS_WITHOUT_PLACE) {
      if (++steps > MAX_STEPS) {
        return new Outcome.Beyond(start, events - left);
      }
      long free = view.firstNotFull(start);
      if (free != start) {
        start = free;
        continue;
      }
      if (!view.covers(start)) {
        return new Outcome.Unknown(start);
      }
      if (skipEmpty(view)) {
        continue;
      }
      Window window = view.window(start);
      int available = Availability.count(policy, window, allowed);
      if (available >= left) {
        return fillLast(window.copy());
      }
      left -= available;
      withoutPlaces = available == 0 ? withoutPlaces + 1 : 0;
      start = PolicyTimes.nextOpenWindow(policy, start + policy.windowMicros());
    }
    return new Outcome.NoCapacity(events - left);
  }

  /**
   * Counts the whole windows ahead that are empty and open, except the one that may be the last.
   */
  private boolean skipEmpty(OccupancyView view) {
    if (start < allowed.fromMicros() || view.window(start).taken() > 0) {
      return false;
    }
    TimeSpan open = OpenTimes.at(policy.calendar(), start);
    long until =
        Math.min(
            Math.min(view.nextUsed(start), view.coveredUntil(start)),
            Math.min(open.untilMicros(), allowed.untilMicros()));
    if (open.fromMicros() > start || until <= start) {
      return false;
    }
    long windows =
        Math.min((until - start) / policy.windowMicros(), (left - 1) / policy.maxPerWindow());
    if (windows == 0) {
      return false;
    }
    left -= windows * policy.maxPerWindow();
    start = PolicyTimes.nextOpenWindow(policy, start + windows * policy.windowMicros());
    return true;
  }

  /** Fills the last window, because its places are not in the order of time. */
  private Outcome fillLast(Window window) {
    long scheduled = Long.MIN_VALUE;
    for (; left > 0; left--) {
      int place = Availability.lowestPlace(policy, window, allowed);
      window.take(place);
      long time =
          switch (policy.spread()) {
            case EVEN -> window.startMicros() + Places.offsetMicros(place, policy.windowMicros());
            case RANDOM ->
                Math.min(window.startMicros() + policy.windowMicros() - 1, Micros.LATEST);
          };
      scheduled = Math.max(scheduled, time);
    }
    return new Outcome.Completion(window.startMicros(), scheduled);
  }
}
