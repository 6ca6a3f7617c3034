package dev.weir.server.verify;

import dev.weir.core.Micros;
import dev.weir.core.slots.Calendar;
import dev.weir.core.slots.Places;
import dev.weir.core.slots.SlotPolicy;
import dev.weir.core.slots.Spread;
import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Where windows of given terms still have room. Plain loops over places, no cleverness. */
final class Vacancy {
  /** Before every time: there is no room. */
  static final long NONE = Long.MIN_VALUE;

  private static final BitSet NOTHING = new BitSet();

  private final SlotPolicy terms;

  /** The places below the limit, the latest first. */
  private final int[] latestFirst;

  Vacancy(SlotPolicy terms) {
    this.terms = terms;
    this.latestFirst =
        IntStream.range(0, terms.maxPerWindow())
            .boxed()
            .sorted(Comparator.comparingLong(this::offset).reversed())
            .mapToInt(Integer::intValue)
            .toArray();
  }

  boolean isOpen(long micros) {
    return terms.calendar().openAt(micros).fromMicros() <= micros;
  }

  /** Whether some of the window's time is open. */
  boolean opens(long startMicros) {
    return terms.calendar().openAt(startMicros).fromMicros() < startMicros + terms.windowMicros();
  }

  boolean isLeft(long startMicros, BitSet taken) {
    return latest(startMicros, taken) != NONE;
  }

  /**
   * The last time in a window at which an event could still be placed: of the last free place, or
   * under {@link Spread#RANDOM} the window's start, from which on its whole share can be had.
   */
  long latest(long startMicros, BitSet taken) {
    int count = taken.cardinality();
    if (count >= terms.maxPerWindow()) {
      return NONE;
    }
    if (terms.spread() == Spread.RANDOM) {
      return share(startMicros) > count ? startMicros : NONE;
    }
    for (int place : latestFirst) {
      if (!taken.get(place) && isOpen(startMicros + offset(place))) {
        return startMicros + offset(place);
      }
    }
    return NONE;
  }

  /** The same for the empty windows from one start to another, the second not included. */
  long latestInEmpty(long fromMicros, long untilMicros) {
    long end = Math.min(untilMicros, Micros.LATEST + 1);
    long latest = NONE;
    long from = fromMicros;
    while (from < end) {
      Calendar.Span open = terms.calendar().openAt(from);
      if (open.fromMicros() >= end) {
        return latest;
      }
      long first = Math.max(fromMicros, terms.windowStart(Math.max(open.fromMicros(), from)));
      long last = terms.windowStart(Math.min(open.untilMicros(), end) - 1);
      // A window that is open from begin to end has room: a few steps at most.
      for (long start = last; start >= first; start -= terms.windowMicros()) {
        long found = latest(start, NOTHING);
        if (found != NONE) {
          latest = Math.max(latest, found);
          break;
        }
      }
      from = open.untilMicros();
    }
    return latest;
  }

  private long offset(int place) {
    return Places.offsetMicros(place, terms.windowMicros());
  }

  /** The part of the limit that falls to the open time of a window. */
  private long share(long startMicros) {
    long end = startMicros + terms.windowMicros();
    long openMicros = 0;
    long from = startMicros;
    while (from < end) {
      Calendar.Span open = terms.calendar().openAt(from);
      long begin = Math.max(open.fromMicros(), from);
      if (begin >= end) {
        break;
      }
      openMicros += Math.min(open.untilMicros(), end) - begin;
      from = open.untilMicros();
    }
    return openMicros * terms.maxPerWindow() / terms.windowMicros();
  }
}
