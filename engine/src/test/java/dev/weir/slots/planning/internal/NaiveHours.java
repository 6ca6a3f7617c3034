package dev.weir.slots.planning.internal;

import dev.weir.slots.OpeningHours;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;

/** Opening hours as a person reads them: the local time, then the sign on the door. */
record NaiveHours(
    ZoneId zone, Map<DayOfWeek, List<OpeningHours.Hours>> week, Set<LocalDate> closedDates)
    implements LongPredicate {

  OpeningHours calendar() {
    return new OpeningHours(zone, week, closedDates);
  }

  /** Returns true if it is open at that time. */
  @Override
  public boolean test(long micros) {
    LocalDateTime local =
        LocalDateTime.ofInstant(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), zone);
    if (closedDates.contains(local.toLocalDate())) {
      return false;
    }
    int second = local.toLocalTime().toSecondOfDay();
    DayOfWeek today = local.getDayOfWeek();
    for (OpeningHours.Hours hours : week.getOrDefault(today, List.of())) {
      boolean pastMidnight = hours.untilSecond() <= hours.fromSecond();
      if (second >= hours.fromSecond() && (pastMidnight || second < hours.untilSecond())) {
        return true;
      }
    }
    for (OpeningHours.Hours hours : week.getOrDefault(today.minus(1), List.of())) {
      boolean pastMidnight = hours.untilSecond() <= hours.fromSecond();
      if (pastMidnight && second < hours.untilSecond()) {
        return true;
      }
    }
    return false;
  }
}
