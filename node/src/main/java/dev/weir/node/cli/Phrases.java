package dev.weir.node.cli;

import java.time.Duration;
import java.util.Locale;

/** Formats numbers and times for humans, the same in every locale. */
public final class Phrases {
  private static final long MEGABYTE = 1_000_000;

  private Phrases() {}

  public static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Returns a number and its noun: "1 event", "2 events". */
  public static String count(long number, String noun) {
    return number(number) + " " + noun + (number == 1 ? "" : "s");
  }

  public static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%,.1f MB", (double) bytes / MEGABYTE);
  }

  /** Returns a duration as on a clock: 0:07, 12:30, 1:00:05. */
  public static String clock(Duration duration) {
    long hours = duration.toHours();
    return hours > 0
        ? String.format(
            Locale.ROOT, "%d:%02d:%02d", hours, duration.toMinutesPart(), duration.toSecondsPart())
        : String.format(Locale.ROOT, "%d:%02d", duration.toMinutes(), duration.toSecondsPart());
  }

  /**
   * Returns a duration in its two largest units: 0.25 s, 16.7 s, 6 min 40 s, 11 h 6 min, 3 d 4 h.
   */
  public static String duration(Duration duration) {
    if (duration.isNegative()) {
      return "-" + duration(duration.negated());
    }
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
