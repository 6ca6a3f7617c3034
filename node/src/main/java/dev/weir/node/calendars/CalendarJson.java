package dev.weir.node.calendars;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.Fields;
import dev.weir.slots.Calendar;
import dev.weir.slots.OpeningHours;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and writes calendars as JSON: {@code {"timeZone": "Europe/Berlin", "hours": {"monday":
 * ["09:00-17:00"]}, "closedDates": ["2026-12-25"]}}.
 */
public final class CalendarJson {
  private static final Pattern HOURS = Pattern.compile("(\\d\\d:\\d\\d)-(\\d\\d:\\d\\d)");
  private static final int MAX_SPANS_PER_DAY = 48;

  private CalendarJson() {}

  /** Reads a calendar, and records violations in {@code fields}. */
  public static Calendar read(Fields fields) {
    Optional<ZoneId> zone = fields.zone("timeZone");
    if (zone.isEmpty() && !fields.isWrong("timeZone")) {
      fields.wrong("timeZone", "is missing");
    }
    Map<DayOfWeek, List<OpeningHours.Hours>> week = new EnumMap<>(DayOfWeek.class);
    fields
        .object("hours")
        .ifPresentOrElse(
            days -> {
              for (DayOfWeek day : DayOfWeek.values()) {
                hours(days, day).ifPresent(hours -> week.put(day, hours));
              }
              days.refuseOthers();
              if (!days.isWrong() && week.values().stream().allMatch(List::isEmpty)) {
                fields.wrong("hours", "must be open at some time of the week");
              }
            },
            () -> {
              if (!fields.isWrong("hours")) {
                fields.wrong("hours", "is missing");
              }
            });
    Set<LocalDate> closedDates = closedDates(fields);
    fields.refuseOthers();
    return fields.isWrong()
        ? Calendar.ALWAYS
        : new OpeningHours(zone.orElseThrow(), week, closedDates);
  }

  private static Optional<List<OpeningHours.Hours>> hours(Fields days, DayOfWeek day) {
    String name = Fields.lower(day);
    return days.list(name)
        .map(
            list -> {
              List<OpeningHours.Hours> hours = new ArrayList<>();
              if (list.size() > MAX_SPANS_PER_DAY) {
                days.wrong(name, "must be at most " + MAX_SPANS_PER_DAY + " spans");
                return hours;
              }
              list.forEach(item -> span(item).ifPresent(hours::add));
              if (hours.size() < list.size()) {
                days.wrong(
                    name,
                    "must be spans of time such as 09:00-17:00, or 00:00-24:00 for the whole day");
              }
              return hours;
            });
  }

  private static Optional<OpeningHours.Hours> span(Object item) {
    Matcher matcher = HOURS.matcher(item instanceof String text ? text : "");
    // Hours that end when they begin are ambiguous: none, or a whole day. A whole day is
    // 00:00-24:00.
    if (!matcher.matches() || matcher.group(1).equals(matcher.group(2))) {
      return Optional.empty();
    }
    try {
      String until = matcher.group(2);
      return Optional.of(
          OpeningHours.Hours.of(
              LocalTime.parse(matcher.group(1)),
              until.equals("24:00") ? LocalTime.MIDNIGHT : LocalTime.parse(until)));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Set<LocalDate> closedDates(Fields fields) {
    Set<LocalDate> dates = new HashSet<>();
    List<?> items = fields.list("closedDates").orElse(List.of());
    if (items.size() > OpeningHours.MAX_CLOSED_DATES) {
      fields.wrong("closedDates", "must be at most " + OpeningHours.MAX_CLOSED_DATES + " dates");
      return dates;
    }
    try {
      for (Object item : items) {
        dates.add(LocalDate.parse(item instanceof String text ? text : ""));
      }
    } catch (DateTimeException e) {
      fields.wrong("closedDates", "must be dates such as 2026-12-25");
    }
    return dates;
  }

  public static void write(JsonGenerator json, OpeningHours calendar) throws IOException {
    json.writeStartObject();
    json.writeStringField("timeZone", calendar.zone().getId());
    json.writeObjectFieldStart("hours");
    for (DayOfWeek day : DayOfWeek.values()) {
      List<OpeningHours.Hours> hours = calendar.week().getOrDefault(day, List.of());
      if (!hours.isEmpty()) {
        json.writeArrayFieldStart(Fields.lower(day));
        for (OpeningHours.Hours span : hours) {
          json.writeString(time(span.fromSecond()) + "-" + time(span.untilSecond()));
        }
        json.writeEndArray();
      }
    }
    json.writeEndObject();
    json.writeArrayFieldStart("closedDates");
    for (LocalDate date : calendar.closedDates().stream().sorted().toList()) {
      json.writeString(date.toString());
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static String time(int secondOfDay) {
    return "%02d:%02d".formatted(secondOfDay / 3600, secondOfDay / 60 % 60);
  }
}
