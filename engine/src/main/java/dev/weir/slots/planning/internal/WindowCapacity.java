package dev.weir.slots.planning.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotPolicy;

/**
 * Counts the places of windows, regardless of what is in them.
 *
 * <p>Windows that lie within one open span are counted by division, so the cost depends on the
 * number of open spans, not on the number of windows.
 */
public final class WindowCapacity {
  private WindowCapacity() {}

  /** Returns the number of events that fit into the windows that start in [from, until). */
  public static long between(SlotPolicy policy, long fromMicros, long untilMicros) {
    TimeSpan allowed = notPaused(policy);
    long until = Math.min(untilMicros, allowed.untilMicros());
    // No window before the one in which a pause ends has a place.
    long first = Math.max(firstStart(policy, fromMicros), policy.windowStart(begin(policy)));
    long sum = 0;
    for (long start = PolicyTimes.nextOpenWindow(policy, first); start < until; ) {
      long whole =
          Math.min(
              wholeWindows(policy, start, allowed),
              windowsUntil(start, until, policy.windowMicros()));
      sum +=
          whole > 0
              ? whole * policy.maxPerWindow()
              : Availability.count(policy, new Window(start), allowed);
      start =
          PolicyTimes.nextOpenWindow(policy, start + Math.max(1, whole) * policy.windowMicros());
    }
    return sum;
  }

  /** Returns the number of events that fit into one window. */
  static int of(SlotPolicy policy, long startMicros) {
    return within(policy, startMicros, notPaused(policy));
  }

  /** Returns the number of events that fit into one window, paused or not. */
  static int evenIfPaused(SlotPolicy policy, long startMicros) {
    return within(policy, startMicros, new TimeSpan(Micros.EARLIEST, Micros.LATEST + 1));
  }

  /** Returns the number of events that fit into the part of one window that is allowed. */
  static int within(SlotPolicy policy, long startMicros, TimeSpan allowed) {
    return wholeWindows(policy, startMicros, allowed) > 0
        ? policy.maxPerWindow()
        : Availability.count(policy, new Window(startMicros), allowed);
  }

  /**
   * Returns the number of windows from the one at {@code startMicros} on that are open and allowed
   * for all of their time.
   */
  static long wholeWindows(SlotPolicy policy, long startMicros, TimeSpan allowed) {
    TimeSpan open = OpenTimes.at(policy.calendar(), startMicros);
    if (startMicros < Math.max(open.fromMicros(), allowed.fromMicros())) {
      return 0;
    }
    long until = Math.min(open.untilMicros(), allowed.untilMicros());
    return Math.max(0, (until - startMicros) / policy.windowMicros());
  }

  private static TimeSpan notPaused(SlotPolicy policy) {
    return new TimeSpan(PolicyTimes.pausedUntilMicros(policy), Micros.LATEST + 1);
  }

  private static long begin(SlotPolicy policy) {
    return Math.max(PolicyTimes.pausedUntilMicros(policy), Micros.EARLIEST);
  }

  /** Returns the start of the first window that does not start before {@code micros}. */
  private static long firstStart(SlotPolicy policy, long micros) {
    long start = policy.windowStart(micros);
    return start < micros ? start + policy.windowMicros() : start;
  }

  /** Returns the number of windows that start in [start, until). */
  private static long windowsUntil(long startMicros, long untilMicros, long sizeMicros) {
    return (untilMicros - startMicros + sizeMicros - 1) / sizeMicros;
  }
}
