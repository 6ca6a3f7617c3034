package dev.weir.core.slots;

import java.util.random.RandomGenerator;

/** What room a window still has for an event that may run only within a given span of time. */
final class Availability {
  private Availability() {}

  /** Whether an event could still be placed somewhere in the window. */
  static boolean isLeft(SlotPolicy terms, Window window) {
    if (window.taken() >= terms.maxPerWindow()) {
      return false;
    }
    // Fewer taken than places below the limit: one of those is free, and all of them are open.
    return terms.calendar() instanceof Calendar.Always
        || count(terms, window, Calendar.Span.ALL) > 0;
  }

  /** How many events could still be placed within {@code allowed}. */
  static int count(SlotPolicy terms, Window window, Calendar.Span allowed) {
    int left = terms.maxPerWindow() - window.taken();
    if (left <= 0) {
      return 0;
    }
    return switch (terms.spread()) {
      case EVEN -> Math.min(left, countPlaces(terms, window, allowed));
      case RANDOM -> Math.max(0, share(terms, openMicros(terms, window, allowed)) - window.taken());
    };
  }

  /**
   * The lowest free place that is open and within {@code allowed}, or {@link Places#NONE}. Under
   * {@link Spread#RANDOM} a place is a mere ticket, any free one will do.
   */
  static int lowestPlace(SlotPolicy terms, Window window, Calendar.Span allowed) {
    if (window.taken() >= terms.maxPerWindow()) {
      return Places.NONE;
    }
    if (terms.spread() == Spread.RANDOM) {
      return count(terms, window, allowed) > 0
          ? window.lowestFree(terms.maxPerWindow(), 0, Places.MOST)
          : Places.NONE;
    }
    int lowest = Places.NONE;
    for (Calendar.Span open = open(terms, window, allowed);
        !open.isEmpty();
        open = after(terms, window, allowed, open)) {
      lowest =
          Math.min(
              lowest,
              window.lowestFree(
                  terms.maxPerWindow(),
                  rank(terms, window, open.fromMicros()),
                  rank(terms, window, open.untilMicros())));
    }
    return lowest;
  }

  /** The time of an event on {@code place}. */
  static long time(
      SlotPolicy terms, Window window, int place, Calendar.Span allowed, RandomGenerator random) {
    return switch (terms.spread()) {
      case EVEN -> window.startMicros() + Places.offsetMicros(place, terms.windowMicros());
      case RANDOM -> {
        long jitter = random.nextLong(openMicros(terms, window, allowed));
        yield openTime(terms, window, allowed, jitter);
      }
    };
  }

  private static int countPlaces(SlotPolicy terms, Window window, Calendar.Span allowed) {
    int count = 0;
    for (Calendar.Span open = open(terms, window, allowed);
        !open.isEmpty();
        open = after(terms, window, allowed, open)) {
      count +=
          window.countFree(
              terms.maxPerWindow(),
              rank(terms, window, open.fromMicros()),
              rank(terms, window, open.untilMicros()));
    }
    return count;
  }

  /** The part of the limit that falls to {@code openMicros} of a window. */
  private static int share(SlotPolicy terms, long openMicros) {
    return (int) (openMicros * terms.maxPerWindow() / terms.windowMicros());
  }

  private static long openMicros(SlotPolicy terms, Window window, Calendar.Span allowed) {
    long sum = 0;
    for (Calendar.Span open = open(terms, window, allowed);
        !open.isEmpty();
        open = after(terms, window, allowed, open)) {
      sum += open.untilMicros() - open.fromMicros();
    }
    return sum;
  }

  /** The time at which {@code micros} of the window's open time have passed. */
  private static long openTime(
      SlotPolicy terms, Window window, Calendar.Span allowed, long micros) {
    long left = micros;
    Calendar.Span open = open(terms, window, allowed);
    while (left >= open.untilMicros() - open.fromMicros()) {
      left -= open.untilMicros() - open.fromMicros();
      open = after(terms, window, allowed, open);
    }
    return open.fromMicros() + left;
  }

  /** The first open span, cut to the window and to what is allowed. */
  private static Calendar.Span open(SlotPolicy terms, Window window, Calendar.Span allowed) {
    long end = Math.min(window.startMicros() + terms.windowMicros(), allowed.untilMicros());
    long from = Math.max(window.startMicros(), allowed.fromMicros());
    if (from >= end) {
      return Calendar.Span.NONE;
    }
    Calendar.Span open = terms.calendar().openAt(from);
    if (open.fromMicros() >= end) {
      return Calendar.Span.NONE;
    }
    return new Calendar.Span(Math.max(from, open.fromMicros()), Math.min(end, open.untilMicros()));
  }

  private static Calendar.Span after(
      SlotPolicy terms, Window window, Calendar.Span allowed, Calendar.Span open) {
    return open(terms, window, new Calendar.Span(open.untilMicros(), allowed.untilMicros()));
  }

  private static int rank(SlotPolicy terms, Window window, long micros) {
    return Places.rank(micros - window.startMicros(), terms.windowMicros());
  }
}
