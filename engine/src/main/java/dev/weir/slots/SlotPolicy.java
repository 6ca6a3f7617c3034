package dev.weir.slots;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.Micros;
import dev.weir.slots.planning.internal.Places;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The policy by which a configuration assigns slots: how many per window, how long a window is, and
 * when. Immutable; an invalid policy cannot be constructed.
 */
public record SlotPolicy(
    int maxPerWindow,
    long windowMicros,
    Spread spread,
    long maxDelayMicros,
    NotBefore notBefore,
    Calendar calendar,
    long pausedUntilMicros) {

  /** The {@code maxDelayMicros} of a policy without a maximum delay. */
  public static final long UNBOUNDED = Long.MAX_VALUE;

  /** The {@code pausedUntilMicros} of a policy that is not paused. */
  public static final long NOT_PAUSED = Long.MIN_VALUE;

  public static final Duration MIN_WINDOW = Duration.ofMillis(1);

  public static final Duration MAX_WINDOW = Duration.ofDays(31);

  public SlotPolicy {
    requireNonNull(spread, "spread");
    requireNonNull(notBefore, "notBefore");
    requireNonNull(calendar, "calendar");
    List<Violation> violations = new ArrayList<>();
    if (maxPerWindow < 1 || maxPerWindow > Places.COUNT) {
      violations.add(
          new Violation(
              "maxPerWindow", "must be from 1 to " + Places.COUNT + ", not " + maxPerWindow));
    }
    if (windowMicros < Micros.floor(MIN_WINDOW) || windowMicros > Micros.floor(MAX_WINDOW)) {
      violations.add(
          new Violation(
              "windowSize",
              "must be from %s to %s, not %s"
                  .formatted(MIN_WINDOW, MAX_WINDOW, Micros.duration(windowMicros))));
    } else if (maxPerWindow <= Places.COUNT && Places.grid(maxPerWindow) > windowMicros) {
      // Otherwise two places would be at the same microsecond.
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

  /** Returns a policy that spreads events evenly, is always open and has no maximum delay. */
  public static SlotPolicy of(int maxPerWindow, Duration window) {
    return new SlotPolicy(
        maxPerWindow,
        Micros.saturated(requireNonNull(window, "window")),
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

  /** Returns this policy with a maximum delay; one of 292,000 years or more is none. */
  public SlotPolicy withMaxDelay(Duration other) {
    requireNonNull(other, "maxDelay");
    return new SlotPolicy(
        maxPerWindow,
        windowMicros,
        spread,
        Micros.saturated(other),
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

  /**
   * Returns the start of the window that contains {@code micros}; windows are aligned to the epoch.
   */
  public long windowStart(long micros) {
    return micros - Math.floorMod(micros, windowMicros);
  }

  /**
   * Returns the start of the first window at or after {@code micros} that is open for part of its
   * time.
   */
  public long nextOpenWindow(long micros) {
    long open = calendar.openAt(micros).fromMicros();
    return open > Micros.LATEST ? Calendar.NEVER : windowStart(Math.max(open, micros));
  }

  /** Returns true if every window has the same places, limit and open times under both policies. */
  public boolean hasSameWindowsAs(SlotPolicy other) {
    return maxPerWindow == other.maxPerWindow
        && windowMicros == other.windowMicros
        && spread == other.spread
        && calendar.equals(other.calendar);
  }
}
