package dev.weir.workflows.report.internal;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** An axis of times in UTC, with up to nine ticks at round times. */
final class TimeScale {
  private static final int MAX_STEPS = 8;
  private static final long DAY = 86_400;
  private static final long[] STEPS = {
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, DAY
  };

  private final long start;
  private final long seconds;
  private final long step;

  /** A labelled time. */
  record Tick(long epochSecond, String label) {}

  TimeScale(long startSecond, long seconds) {
    this.start = startSecond;
    this.seconds = seconds;
    this.step = step(Math.ceilDiv(seconds, MAX_STEPS));
  }

  List<Tick> ticks() {
    DateTimeFormatter label =
        DateTimeFormatter.ofPattern(pattern(), Locale.ROOT).withZone(ZoneOffset.UTC);
    List<Tick> ticks = new ArrayList<>();
    for (long at = Math.ceilDiv(start, step) * step; at <= start + seconds; at += step) {
      ticks.add(new Tick(at, label.format(Instant.ofEpochSecond(at))));
    }
    return ticks;
  }

  private String pattern() {
    if (step >= DAY) {
      return "MM-dd";
    }
    if (seconds > DAY) {
      return "MM-dd HH:mm";
    }
    return step < 60 ? "HH:mm:ss" : "HH:mm";
  }

  private static long step(long atLeast) {
    for (long step : STEPS) {
      if (step >= atLeast) {
        return step;
      }
    }
    return Math.ceilDiv(atLeast, DAY) * DAY;
  }
}
