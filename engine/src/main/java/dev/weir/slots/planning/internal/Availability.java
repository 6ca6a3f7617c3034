package dev.weir.slots.planning.internal;

import dev.weir.internal.Places;
import dev.weir.slots.Calendar;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.util.random.RandomGenerator;

/**
 * Calculates which places of a window are available to an event that may run only within a given
 * span of time.
 */
final class Availability {
  private Availability() {}

  /** Returns true if another event can be placed in the window. */
  static boolean hasFreePlace(SlotPolicy policy, Window window) {
    if (window.taken() >= policy.maxPerWindow()) {
      return false;
    }
    // Fewer places are taken than exist below the limit, so one of those is free, and all of them
    // are open.
    return policy.calendar() instanceof Calendar.Always || count(policy, window, TimeSpan.ALL) > 0;
  }

  /** Returns how many more events can be placed within {@code allowed}. */
  static int count(SlotPolicy policy, Window window, TimeSpan allowed) {
    int left = policy.maxPerWindow() - window.taken();
    if (left <= 0) {
      return 0;
    }
    return switch (policy.spread()) {
      case EVEN -> Math.min(left, countPlaces(policy, window, allowed));
      case RANDOM ->
          Math.max(0, share(policy, openMicros(policy, window, allowed)) - window.taken());
    };
  }

  /**
   * Returns the lowest free place that is open and within {@code allowed}, or {@link Places#NONE}.
   * Under {@link Spread#RANDOM} a place does not determine a time, so any free one is returned.
   */
  static int lowestPlace(SlotPolicy policy, Window window, TimeSpan allowed) {
    if (window.taken() >= policy.maxPerWindow()) {
      return Places.NONE;
    }
    if (policy.spread() == Spread.RANDOM) {
      return count(policy, window, allowed) > 0
          ? window.lowestFree(policy.maxPerWindow(), 0, Places.COUNT)
          : Places.NONE;
    }
    int lowest = Places.NONE;
    for (TimeSpan open = open(policy, window, allowed);
        !open.isEmpty();
        open = after(policy, window, allowed, open)) {
      lowest =
          Math.min(
              lowest,
              window.lowestFree(
                  policy.maxPerWindow(),
                  rank(policy, window, open.fromMicros()),
                  rank(policy, window, open.untilMicros())));
    }
    return lowest;
  }

  /** Returns the time of an event on {@code place}. */
  static long time(
      SlotPolicy policy, Window window, int place, TimeSpan allowed, RandomGenerator random) {
    return switch (policy.spread()) {
      case EVEN -> window.startMicros() + Places.offsetMicros(place, policy.windowMicros());
      case RANDOM -> {
        long offset = random.nextLong(openMicros(policy, window, allowed));
        yield openTime(policy, window, allowed, offset);
      }
    };
  }

  private static int countPlaces(SlotPolicy policy, Window window, TimeSpan allowed) {
    int count = 0;
    for (TimeSpan open = open(policy, window, allowed);
        !open.isEmpty();
        open = after(policy, window, allowed, open)) {
      count +=
          window.countFree(
              policy.maxPerWindow(),
              rank(policy, window, open.fromMicros()),
              rank(policy, window, open.untilMicros()));
    }
    return count;
  }

  /** Returns the part of the limit that corresponds to {@code openMicros} of a window. */
  private static int share(SlotPolicy policy, long openMicros) {
    return (int) (openMicros * policy.maxPerWindow() / policy.windowMicros());
  }

  private static long openMicros(SlotPolicy policy, Window window, TimeSpan allowed) {
    long sum = 0;
    for (TimeSpan open = open(policy, window, allowed);
        !open.isEmpty();
        open = after(policy, window, allowed, open)) {
      sum += open.untilMicros() - open.fromMicros();
    }
    return sum;
  }

  /** Returns the time at which {@code micros} of the window's open time have passed. */
  private static long openTime(SlotPolicy policy, Window window, TimeSpan allowed, long micros) {
    long left = micros;
    TimeSpan open = open(policy, window, allowed);
    while (left >= open.untilMicros() - open.fromMicros()) {
      left -= open.untilMicros() - open.fromMicros();
      open = after(policy, window, allowed, open);
    }
    return open.fromMicros() + left;
  }

  /** Returns the first open span, clipped to the window and to {@code allowed}. */
  private static TimeSpan open(SlotPolicy policy, Window window, TimeSpan allowed) {
    long end = Math.min(window.startMicros() + policy.windowMicros(), allowed.untilMicros());
    long from = Math.max(window.startMicros(), allowed.fromMicros());
    if (from >= end) {
      return TimeSpan.NONE;
    }
    TimeSpan open = OpenTimes.at(policy.calendar(), from);
    if (open.fromMicros() >= end) {
      return TimeSpan.NONE;
    }
    return new TimeSpan(Math.max(from, open.fromMicros()), Math.min(end, open.untilMicros()));
  }

  private static TimeSpan after(SlotPolicy policy, Window window, TimeSpan allowed, TimeSpan open) {
    return open(policy, window, new TimeSpan(open.untilMicros(), allowed.untilMicros()));
  }

  private static int rank(SlotPolicy policy, Window window, long micros) {
    return Places.rank(micros - window.startMicros(), policy.windowMicros());
  }
}
