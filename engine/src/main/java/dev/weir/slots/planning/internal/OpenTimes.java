package dev.weir.slots.planning.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.Calendar;
import dev.weir.slots.OpeningHours;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;

/** The spans of time in which a calendar is open. */
public final class OpenTimes {
  private OpenTimes() {}

  /**
   * Returns the first open span that ends after {@code micros}, which may have begun earlier;
   * {@link TimeSpan#NONE} if there is none.
   */
  public static TimeSpan at(Calendar calendar, long micros) {
    return switch (calendar) {
      case Calendar.Always always -> TimeSpan.ALL;
      case OpeningHours hours -> at(hours, micros);
    };
  }

  private static TimeSpan at(OpeningHours hours, long micros) {
    if (micros > Micros.LATEST) {
      return TimeSpan.NONE;
    }
    Instant time = Micros.instant(Math.max(micros, Micros.EARLIEST));
    // Starts a day earlier, because the clock may have been set back over midnight.
    LocalDate day = LocalDate.ofInstant(time, hours.zone()).minusDays(1);
    // At least one day of the week is open; only closed dates and daylight saving can remove it.
    int days = 16 + 7 * (hours.closedDates().size() + 1);
    TimeSpan first = TimeSpan.NONE;
    for (int i = 0; i < days; i++, day = day.plusDays(1)) {
      boolean foundBefore = !first.isEmpty();
      first = earlier(first, openOn(hours, day, micros));
      // A clock set back over midnight interleaves two days, so look one day past the first match.
      if (foundBefore) {
        return first;
      }
    }
    return first;
  }

  /** Returns the first open span of a local day that ends after {@code micros}. */
  private static TimeSpan openOn(OpeningHours hours, LocalDate day, long micros) {
    List<OpeningHours.Hours> open =
        hours.closedDates().contains(day)
            ? List.of()
            : hours.week().getOrDefault(day.getDayOfWeek(), List.of());
    if (open.isEmpty()) {
      return TimeSpan.NONE;
    }
    ZoneRules rules = hours.zone().getRules();
    LocalDateTime midnight = day.atStartOfDay();
    List<ZoneOffset> offsets = rules.getValidOffsets(midnight);
    if (offsets.size() == 1 && offsets.equals(rules.getValidOffsets(midnight.plusDays(1)))) {
      return first(open, day, offsets.getFirst(), TimeSpan.ALL, micros);
    }
    // The clock changes on this day: the hours apply before the change and again after it.
    Instant before = midnight.toInstant(ZoneOffset.MAX);
    ZoneOffsetTransition change = rules.nextTransition(before);
    if (change == null) {
      return first(open, day, rules.getOffset(before), TimeSpan.ALL, micros);
    }
    long changeMicros = Micros.ceil(change.getInstant());
    TimeSpan early = new TimeSpan(TimeSpan.ALL.fromMicros(), changeMicros);
    TimeSpan late = new TimeSpan(changeMicros, TimeSpan.ALL.untilMicros());
    return earlier(
        first(open, day, change.getOffsetBefore(), early, micros),
        first(open, day, change.getOffsetAfter(), late, micros));
  }

  private static TimeSpan first(
      List<OpeningHours.Hours> open,
      LocalDate day,
      ZoneOffset offset,
      TimeSpan within,
      long micros) {
    long midnight = day.atStartOfDay().toEpochSecond(offset);
    for (OpeningHours.Hours hours : open) {
      long from = (midnight + hours.fromSecond()) * Micros.PER_SECOND;
      long until = (midnight + hours.untilSecond()) * Micros.PER_SECOND;
      from = Math.max(from, within.fromMicros());
      until = Math.min(until, within.untilMicros());
      if (until > micros && until > from) {
        return new TimeSpan(from, until);
      }
    }
    return TimeSpan.NONE;
  }

  private static TimeSpan earlier(TimeSpan one, TimeSpan other) {
    return one.fromMicros() <= other.fromMicros() ? one : other;
  }
}
