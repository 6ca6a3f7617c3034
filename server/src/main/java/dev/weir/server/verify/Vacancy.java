package dev.weir.server.verify;

import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import dev.weir.slots.planning.internal.OpenTimes;
import dev.weir.slots.planning.internal.TimeSpan;
import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Finds room in windows of a policy. Deliberately simple loops over places. */
final class Vacancy {
  /** Lower than any time: there is no room. */
  static final long NONE = Long.MIN_VALUE;

  private static final BitSet NOTHING = new BitSet();

  private final SlotPolicy policy;

  /** The places below the limit, the latest first. */
  private final int[] latestFirst;

  Vacancy(SlotPolicy policy) {
    this.policy = policy;
    this.latestFirst =
        IntStream.range(0, policy.maxPerWindow())
            .boxed()
            .sorted(Comparator.comparingLong(this::offset).reversed())
            .mapToInt(Integer::intValue)
            .toArray();
  }

  boolean isOpen(long micros) {
    return OpenTimes.at(policy.calendar(), micros).fromMicros() <= micros;
  }

  /** Returns true if part of the window is open. */
  boolean opens(long startMicros) {
    return OpenTimes.at(policy.calendar(), startMicros).fromMicros()
        < startMicros + policy.windowMicros();
  }

  boolean isLeft(long startMicros, BitSet taken) {
    return latest(startMicros, taken) != NONE;
  }

  /**
   * Returns the last time in a window at which an event could still be placed: that of the last
   * free place, or under {@link Spread#RANDOM} the window's start, from which its whole share is
   * available.
   */
  long latest(long startMicros, BitSet taken) {
    int count = taken.cardinality();
    if (count >= policy.maxPerWindow()) {
      return NONE;
    }
    if (policy.spread() == Spread.RANDOM) {
      return share(startMicros) > count ? startMicros : NONE;
    }
    for (int place : latestFirst) {
      if (!taken.get(place) && isOpen(startMicros + offset(place))) {
        return startMicros + offset(place);
      }
    }
    return NONE;
  }

  /** Returns the same for the empty windows from one start to another, the second excluded. */
  long latestInEmpty(long fromMicros, long untilMicros) {
    long end = Math.min(untilMicros, Micros.LATEST + 1);
    long latest = NONE;
    long from = fromMicros;
    while (from < end) {
      TimeSpan open = OpenTimes.at(policy.calendar(), from);
      if (open.fromMicros() >= end) {
        return latest;
      }
      long first = Math.max(fromMicros, policy.windowStart(Math.max(open.fromMicros(), from)));
      long last = policy.windowStart(Math.min(open.untilMicros(), end) - 1);
      // A window that is open throughout has room, so this takes only a few steps.
      for (long start = last; start >= first; start -= policy.windowMicros()) {
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
    return Places.offsetMicros(place, policy.windowMicros());
  }

  /** Returns the part of the limit that corresponds to the open time of a window. */
  private long share(long startMicros) {
    long end = startMicros + policy.windowMicros();
    long openMicros = 0;
    long from = startMicros;
    while (from < end) {
      TimeSpan open = OpenTimes.at(policy.calendar(), from);
      long begin = Math.max(open.fromMicros(), from);
      if (begin >= end) {
        break;
      }
      openMicros += Math.min(open.untilMicros(), end) - begin;
      from = open.untilMicros();
    }
    return openMicros * policy.maxPerWindow() / policy.windowMicros();
  }
}
