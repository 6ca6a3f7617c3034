package dev.weir.core.slots;

import dev.weir.core.Micros;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The terms under which a configuration gives slots: how many in a window, how long a window is,
 * and when. Terms that cannot be kept cannot be constructed.
 */
public record SlotPolicy(
    int maxPerWindow,
    long windowMicros,
    Spread spread,
    long maxDelayMicros,
    NotBefore notBefore,
    Calendar calendar,
    long pausedUntilMicros) {

  /** The {@code maxDelayMicros} of terms without a bound on the delay. */
  public static final long UNBOUNDED = Long.MAX_VALUE;

  /** The {@code pausedUntilMicros} of terms that are not paused. */
  public static final long NOT_PAUSED = Long.MIN_VALUE;

  public static final Duration SHORTEST_WINDOW = Duration.ofMillis(1);

  public static final Duration LONGEST_WINDOW = Duration.ofDays(31);

  public SlotPolicy {
    List<Violation> violations = new ArrayList<>();
    if (maxPerWindow < 1 || maxPerWindow > Places.MOST) {
      violations.add(
          new Violation(
              "maxPerWindow", "must be from 1 to " + Places.MOST + ", not " + maxPerWindow));
    }
    if (windowMicros < Micros.floor(SHORTEST_WINDOW)
        || windowMicros > Micros.floor(LONGEST_WINDOW)) {
      violations.add(
          new Violation(
              "windowSize",
              "must be from %s to %s, not %s"
                  .formatted(SHORTEST_WINDOW, LONGEST_WINDOW, Micros.duration(windowMicros))));
    } else if (maxPerWindow <= Places.MOST && grid(maxPerWindow) > windowMicros) {
      // Otherwise two places would fall on the same microsecond.
      violations.add(
          new Violation(
              "maxPerWindow",
              "of %d leaves less than a microsecond to each place of a window of %s"
                  .formatted(maxPerWindow, Micros.duration(windowMicros))));
    }
    if (maxDelayMicros < 0) {
      violations.add(
          new Violation(
              "maxDelay", "must not be negative, but is " + Micros.duration(maxDelayMicros)));
    }
    if (pausedUntilMicros != NOT_PAUSED && !Micros.inRange(pausedUntilMicros)) {
      violations.add(new Violation("pausedUntil", "must be a time from year 1 to year 9999"));
    }
    if (!violations.isEmpty()) {
      throw new InvalidSlotPolicyException(violations);
    }
  }

  /** Evenly spread, always open, no bound on the delay. */
  public static SlotPolicy of(int maxPerWindow, Duration window) {
    return new SlotPolicy(
        maxPerWindow,
        Micros.floor(window),
        Spread.EVEN,
        UNBOUNDED,
        NotBefore.REQUESTED,
        Calendar.ALWAYS,
        NOT_PAUSED);
  }

  public SlotPolicy withSpread(Spread other) {
    return new SlotPolicy(
        maxPerWindow, windowMicros, other, maxDelayMicros, notBefore, calendar, pausedUntilMicros);
  }

  public SlotPolicy withMaxDelay(Duration other) {
    return new SlotPolicy(
        maxPerWindow,
        windowMicros,
        spread,
        Micros.floor(other),
        notBefore,
        calendar,
        pausedUntilMicros);
  }

  public SlotPolicy withNotBefore(NotBefore other) {
    return new SlotPolicy(
        maxPerWindow, windowMicros, spread, maxDelayMicros, other, calendar, pausedUntilMicros);
  }

  public SlotPolicy withCalendar(Calendar other) {
    return new SlotPolicy(
        maxPerWindow, windowMicros, spread, maxDelayMicros, notBefore, other, pausedUntilMicros);
  }

  public SlotPolicy withPausedUntil(long otherMicros) {
    return new SlotPolicy(
        maxPerWindow, windowMicros, spread, maxDelayMicros, notBefore, calendar, otherMicros);
  }

  public Duration window() {
    return Micros.duration(windowMicros);
  }

  /** The start of the window that holds {@code micros}; windows are aligned to the epoch. */
  public long windowStart(long micros) {
    return micros - Math.floorMod(micros, windowMicros);
  }

  /** The start of the first window at or after {@code micros} that is open for some of its time. */
  long nextOpenWindow(long micros) {
    long open = calendar.openAt(micros).fromMicros();
    return open > Micros.LATEST ? Calendar.NEVER : windowStart(Math.max(open, micros));
  }

  /** Whether a window that both see would be judged alike: same places, same room, same times. */
  public boolean sameRoomAs(SlotPolicy other) {
    return maxPerWindow == other.maxPerWindow
        && windowMicros == other.windowMicros
        && spread == other.spread
        && calendar.equals(other.calendar);
  }

  /** How many equal cells the places below {@code max} fit into: the next power of two. */
  static int grid(int max) {
    return max <= 1 ? 1 : Integer.highestOneBit(max - 1) << 1;
  }
}
