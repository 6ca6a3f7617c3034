package dev.weir.server.verify;

import dev.weir.slots.Calendar;
import dev.weir.slots.OpeningHours;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The calendars of {@code slot_config_version}: {@code zone;DAY=second-second,…;closed date,…}. */
final class StoredCalendar {
  private static final Pattern HOURS = Pattern.compile("([A-Z]+)=(\\d+)-(\\d+)");

  private StoredCalendar() {}

  static Calendar read(@Nullable String text) {
    if (text == null) {
      return Calendar.ALWAYS;
    }
    List<String> parts = List.of(text.split(";", -1));
    Map<DayOfWeek, List<OpeningHours.Hours>> week = new EnumMap<>(DayOfWeek.class);
    Matcher hours = HOURS.matcher(parts.get(1));
    while (hours.find()) {
      week.computeIfAbsent(DayOfWeek.valueOf(hours.group(1)), day -> new ArrayList<>())
          .add(
              new OpeningHours.Hours(
                  Integer.parseInt(hours.group(2)), Integer.parseInt(hours.group(3))));
    }
    Set<LocalDate> closed =
        Pattern.compile(",")
            .splitAsStream(parts.get(2))
            .filter(date -> !date.isEmpty())
            .map(LocalDate::parse)
            .collect(Collectors.toSet());
    return new OpeningHours(ZoneId.of(parts.getFirst()), week, closed);
  }
}
