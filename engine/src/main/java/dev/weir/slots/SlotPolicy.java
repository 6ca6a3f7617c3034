package dev.weir.slots;

import static java.util.Objects.requireNonNull;

import dev.weir.Violation;
import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The policy by which a configuration assigns slots: how many per window, how long a window is, and
 * when. Immutable; an invalid policy cannot be constructed. Times are whole microseconds.
 *
 * @param window the length of a window; windows are aligned to the epoch
 * @param maxDelay the maximum time between the requested and the assigned time; one of 292,000
 *     years or more is none
 * @param pausedUntil the time before which no event is scheduled
 */
public record SlotPolicy(
    int maxPerWindow,
    Duration window,
    Spread spread,
    Optional<Duration> maxDelay,
    NotBefore notBefore,
    Calendar calendar,
    Optional<Instant> pausedUntil) {
  public static final Duration MIN_WINDOW = Duration.ofMillis(1);
  public static final Duration MAX_WINDOW = Duration.ofDays(31);

  public SlotPolicy {
    requireNonNull(spread, "spread");
    requireNonNull(notBefore, "notBefore");
    requireNonNull(calendar, "calendar");
    long windowMicros = Micros.saturated(requireNonNull(window, "window"));
    window = Micros.duration(windowMicros);
    maxDelay =
        requireNonNull(maxDelay, "maxDelay")
            .map(Micros::saturated)
            .filter(micros -> micros < Long.MAX_VALUE)
            .map(Micros::duration);
    List<Violation> violations = new ArrayList<>();
    if (maxPerWindow < 1 || maxPerWindow > Places.COUNT) {
      violations.add(
          new Violation(
              "maxPerWindow", "must be from 1 to " + Places.COUNT + ", not " + maxPerWindow));
    }
    if (window.compareTo(MIN_WINDOW) < 0 || window.compareTo(MAX_WINDOW) > 0) {
      violations.add(
          new Violation(
              "windowSize",
              "must be from %s to %s, not %s".formatted(MIN_WINDOW, MAX_WINDOW, window)));
    } else if (maxPerWindow <= Places.COUNT && Places.grid(maxPerWindow) > windowMicros) {
      // Otherwise two places would be at the same microsecond.
      violations.add(
          new Violation(
              "maxPerWindow",
              "of %d leaves less than a microsecond to each place of a window of %s"
                  .formatted(maxPerWindow, window)));
    }
    if (maxDelay.filter(Duration::isNegative).isPresent()) {
      violations.add(new Violation("maxDelay", "must not be negative, but is " + maxDelay.get()));
    }
    if (requireNonNull(pausedUntil, "pausedUntil").filter(Micros::inRange).isEmpty()
        && pausedUntil.isPresent()) {
      violations.add(new Violation("pausedUntil", "must be a time from year 1 to year 9999"));
    }
    if (!violations.isEmpty()) {
      throw new InvalidSlotPolicyException(violations);
    }
    pausedUntil = pausedUntil.map(Micros::ceil).map(Micros::instant);
  }

  /** Returns a policy that spreads events evenly, is always open and has no maximum delay. */
  public static SlotPolicy of(int maxPerWindow, Duration window) {
    return new SlotPolicy(
        maxPerWindow,
        window,
        Spread.EVEN,
        Optional.empty(),
        NotBefore.REQUESTED,
        Calendar.ALWAYS,
        Optional.empty());
  }

  public SlotPolicy withSpread(Spread other) {
    return new SlotPolicy(maxPerWindow, window, other, maxDelay, notBefore, calendar, pausedUntil);
  }

  /** Returns this policy with a maximum delay; one of 292,000 years or more is none. */
  public SlotPolicy withMaxDelay(Duration other) {
    return with(Optional.of(requireNonNull(other, "maxDelay")), pausedUntil);
  }

  /** Returns this policy without a maximum delay. */
  public SlotPolicy withoutMaxDelay() {
    return with(Optional.empty(), pausedUntil);
  }

  public SlotPolicy withNotBefore(NotBefore other) {
    return new SlotPolicy(maxPerWindow, window, spread, maxDelay, other, calendar, pausedUntil);
  }

  public SlotPolicy withCalendar(Calendar other) {
    return new SlotPolicy(maxPerWindow, window, spread, maxDelay, notBefore, other, pausedUntil);
  }

  /** Returns this policy with a pause: no event is scheduled before a time. */
  public SlotPolicy withPausedUntil(Instant other) {
    return with(maxDelay, Optional.of(requireNonNull(other, "pausedUntil")));
  }

  /** Returns this policy without a pause. */
  public SlotPolicy withoutPause() {
    return with(maxDelay, Optional.empty());
  }

  private SlotPolicy with(Optional<Duration> otherMaxDelay, Optional<Instant> otherPause) {
    return new SlotPolicy(
        maxPerWindow, window, spread, otherMaxDelay, notBefore, calendar, otherPause);
  }

  /** Returns the length of a window in microseconds, the unit of stores. */
  public long windowMicros() {
    return Micros.floor(window);
  }

  /**
   * Returns the start of the window that contains {@code micros}; windows are aligned to the epoch.
   */
  public long windowStart(long micros) {
    return micros - Math.floorMod(micros, windowMicros());
  }

  /** Returns true if every window has the same places, limit and open times under both policies. */
  public boolean hasSameWindowsAs(SlotPolicy other) {
    return maxPerWindow == other.maxPerWindow
        && window.equals(other.window)
        && spread == other.spread
        && calendar.equals(other.calendar);
  }
}
