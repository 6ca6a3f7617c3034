package dev.weir.payments.simulator.report;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Formats numbers and times for a report, the same in every locale. */
final class Figures {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT);

  private Figures() {}

  static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Returns a number and its noun: "1 call", "2 calls". */
  static String count(long number, String noun) {
    return number(number) + " " + noun + (number == 1 ? "" : "s");
  }

  /** Returns a number per second, to one decimal place. */
  static String rate(double perSecond) {
    return String.format(Locale.ROOT, "%,.1f", perSecond);
  }

  /** Returns a time of UTC. */
  static String time(Instant time) {
    return time(time, ZoneOffset.UTC);
  }

  /** Returns a time in a zone, with the name of the zone. */
  static String time(Instant time, ZoneId zone) {
    return TIME.format(time.atZone(zone)) + " " + (zone.equals(ZoneOffset.UTC) ? "UTC" : zone);
  }

  /** Returns a duration in its two largest units: 16.7 s, 6 min 40 s, 11 h 6 min, 3 d 4 h. */
  static String duration(Duration duration) {
    if (duration.toMinutes() == 0) {
      return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
    }
    if (duration.toHours() == 0) {
      return duration.toMinutes() + " min " + duration.toSecondsPart() + " s";
    }
    if (duration.toDays() == 0) {
      return duration.toHours() + " h " + duration.toMinutesPart() + " min";
    }
    return number(duration.toDays()) + " d " + duration.toHoursPart() + " h";
  }
}
