package dev.weir.store.jdbc.internal;

import dev.weir.slots.Calendar;
import dev.weir.slots.OpeningHours;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Converts a calendar to and from a line of text: zone, hours by day in seconds since midnight, and
 * closed dates, for example {@code
 * Europe/Berlin;MONDAY=32400-61200,TUESDAY=32400-61200;2026-12-25}.
 */
public final class CalendarText {
  private CalendarText() {}

  /** Returns the text of a calendar; null if it is always open. */
  public static @Nullable String write(Calendar calendar) {
    return switch (calendar) {
      case Calendar.Always always -> null;
      case OpeningHours hours ->
          hours.zone().getId() + ";" + week(hours.week()) + ";" + dates(hours.closedDates());
    };
  }

  /**
   * Returns the calendar that was written as this text.
   *
   * @throws UnknownZoneException if this node does not know its time zone
   */
  public static Calendar read(@Nullable String text) throws UnknownZoneException {
    if (text == null) {
      return Calendar.ALWAYS;
    }
    String[] parts = text.split(";", -1);
    Map<DayOfWeek, List<OpeningHours.Hours>> week = new EnumMap<>(DayOfWeek.class);
    for (String entry : items(parts[1])) {
      String[] dayAndHours = entry.split("[=-]", -1);
      week.computeIfAbsent(DayOfWeek.valueOf(dayAndHours[0]), day -> new ArrayList<>())
          .add(
              new OpeningHours.Hours(
                  Integer.parseInt(dayAndHours[1]), Integer.parseInt(dayAndHours[2])));
    }
    Set<LocalDate> closedDates = new HashSet<>();
    items(parts[2]).forEach(date -> closedDates.add(LocalDate.parse(date)));
    return new OpeningHours(zone(parts[0]), week, closedDates);
  }

  private static ZoneId zone(String id) throws UnknownZoneException {
    try {
      return ZoneId.of(id);
    } catch (DateTimeException e) {
      throw new UnknownZoneException(id, e);
    }
  }

  private static String week(Map<DayOfWeek, List<OpeningHours.Hours>> week) {
    return week.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .flatMap(
            day ->
                day.getValue().stream()
                    .map(
                        hours ->
                            day.getKey() + "=" + hours.fromSecond() + "-" + hours.untilSecond()))
        .collect(Collectors.joining(","));
  }

  private static String dates(Set<LocalDate> dates) {
    return dates.stream().sorted().map(LocalDate::toString).collect(Collectors.joining(","));
  }

  private static List<String> items(String list) {
    return list.isEmpty() ? List.of() : List.of(list.split(",", -1));
  }
}
