package dev.weir.slots;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Weekly opening hours in a time zone, with closed dates.
 *
 * <p>Hours are local times. An hour that a daylight-saving change skips is not open; an hour that
 * it repeats is open both times. Hours that end at or before their start run past midnight.
 */
public record OpeningHours(
    ZoneId zone, Map<DayOfWeek, List<Hours>> week, Set<LocalDate> closedDates) implements Calendar {

  /**
   * The maximum number of closed dates, generous for real calendars. It also bounds the search for
   * an open day.
   */
  public static final int MAX_CLOSED_DATES = 2_000;

  private static final int DAY_SECONDS = 24 * 60 * 60;

  /** Opening hours of one day in seconds since midnight, the end exclusive. */
  public record Hours(int fromSecond, int untilSecond) {
    public Hours {
      if (fromSecond < 0 || fromSecond >= DAY_SECONDS) {
        throw new IllegalArgumentException("from must be a time of day, not second " + fromSecond);
      }
      if (untilSecond < 0 || untilSecond > DAY_SECONDS) {
        throw new IllegalArgumentException(
            "until must be a time of day, not second " + untilSecond);
      }
    }

    /** Returns hours such as 09:00 to 17:00; an end of midnight is the end of the day. */
    public static Hours of(LocalTime from, LocalTime until) {
      int untilSecond = until.toSecondOfDay();
      return new Hours(from.toSecondOfDay(), untilSecond == 0 ? DAY_SECONDS : untilSecond);
    }

    private boolean pastMidnight() {
      return untilSecond <= fromSecond;
    }
  }

  /** Splits hours that run past midnight in two, so that a closed date closes its own day only. */
  public OpeningHours {
    Map<DayOfWeek, List<Hours>> days = new EnumMap<>(DayOfWeek.class);
    week.forEach(
        (day, list) -> {
          for (Hours hours : list) {
            if (hours.pastMidnight()) {
              add(days, day, new Hours(hours.fromSecond(), DAY_SECONDS));
              add(days, day.plus(1), new Hours(0, hours.untilSecond()));
            } else {
              add(days, day, hours);
            }
          }
        });
    if (days.isEmpty()) {
      throw new IllegalArgumentException("hours must be open at some time of the week");
    }
    if (closedDates.size() > MAX_CLOSED_DATES) {
      throw new IllegalArgumentException(
          "closedDates must be at most %d, not %d".formatted(MAX_CLOSED_DATES, closedDates.size()));
    }
    days.replaceAll((day, list) -> merged(list));
    week = Map.copyOf(days);
    closedDates = Set.copyOf(closedDates);
  }

  private static void add(Map<DayOfWeek, List<Hours>> days, DayOfWeek day, Hours hours) {
    if (hours.untilSecond() > hours.fromSecond()) {
      days.computeIfAbsent(day, any -> new ArrayList<>()).add(hours);
    }
  }

  private static List<Hours> merged(List<Hours> hours) {
    List<Hours> sorted = new ArrayList<>(hours);
    sorted.sort(Comparator.comparingInt(Hours::fromSecond));
    List<Hours> merged = new ArrayList<>();
    for (Hours next : sorted) {
      if (!merged.isEmpty() && merged.getLast().untilSecond() >= next.fromSecond()) {
        Hours last = merged.removeLast();
        merged.add(new Hours(last.fromSecond(), Math.max(last.untilSecond(), next.untilSecond())));
      } else {
        merged.add(next);
      }
    }
    return List.copyOf(merged);
  }
}
