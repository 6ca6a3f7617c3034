package dev.weir.payments.simulator.report;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** An axis of times, with up to nine ticks at times that are round in a zone. */
final class TimeScale {
  private static final int MAX_STEPS = 8;
  private static final long HOUR = 3_600;
  private static final long DAY = 86_400;
  private static final long[] STEPS = {
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, DAY
  };

  private final long start;
  private final long seconds;
  private final long step;
  private final ZoneId zone;

  /** A labelled time. */
  record Tick(long epochSecond, String label) {}

  TimeScale(long startSecond, long seconds, ZoneId zone) {
    this.start = startSecond;
    this.seconds = seconds;
    this.zone = zone;
    this.step = step(Math.ceilDiv(seconds, MAX_STEPS));
  }

  List<Tick> ticks() {
    DateTimeFormatter label = DateTimeFormatter.ofPattern(pattern(), Locale.ROOT).withZone(zone);
    List<Tick> ticks = new ArrayList<>();
    long offset = zone.getRules().getOffset(Instant.ofEpochSecond(start)).getTotalSeconds();
    long latest = start - 1;
    for (long local = Math.ceilDiv(start + offset, step) * step;
        ticks.size() <= MAX_STEPS;
        local += step) {
      // Within an hour that is skipped or repeated every time is round; beyond it only one of the
      // zone is.
      long at = step > HOUR ? epochSecond(local) : local - offset;
      if (at > start + seconds) {
        break;
      }
      if (at > latest) {
        ticks.add(new Tick(at, label.format(Instant.ofEpochSecond(at))));
        latest = at;
      }
    }
    return ticks;
  }

  /** Returns the time at which clocks of the zone show a time, given as if it were one of UTC. */
  private long epochSecond(long local) {
    return LocalDateTime.ofEpochSecond(local, 0, ZoneOffset.UTC).atZone(zone).toEpochSecond();
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
