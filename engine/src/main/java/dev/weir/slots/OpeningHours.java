package dev.weir.slots;

import dev.weir.internal.Micros;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
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

  @Override
  public Span openAt(long micros) {
    if (micros > Micros.LATEST) {
      return Span.NONE;
    }
    Instant time = Micros.instant(Math.max(micros, Micros.EARLIEST));
    // Starts a day earlier, because the clock may have been set back over midnight.
    LocalDate day = LocalDate.ofInstant(time, zone).minusDays(1);
    // At least one day of the week is open; only closed dates and daylight saving can remove it.
    int days = 16 + 7 * (closedDates.size() + 1);
    Span first = Span.NONE;
    for (int i = 0; i < days; i++, day = day.plusDays(1)) {
      boolean foundBefore = !first.isEmpty();
      first = earlier(first, openOn(day, micros));
      // A clock set back over midnight interleaves two days, so look one day past the first match.
      if (foundBefore) {
        return first;
      }
    }
    return first;
  }

  /** Returns the first open span of a local day that ends after {@code micros}. */
  private Span openOn(LocalDate day, long micros) {
    List<Hours> open = closedDates.contains(day) ? List.of() : hoursOf(day);
    if (open.isEmpty()) {
      return Span.NONE;
    }
    ZoneRules rules = zone.getRules();
    LocalDateTime midnight = day.atStartOfDay();
    List<ZoneOffset> offsets = rules.getValidOffsets(midnight);
    if (offsets.size() == 1 && offsets.equals(rules.getValidOffsets(midnight.plusDays(1)))) {
      return first(open, day, offsets.getFirst(), Span.ALL, micros);
    }
    // The clock changes on this day: the hours apply before the change and again after it.
    Instant before = midnight.toInstant(ZoneOffset.MAX);
    ZoneOffsetTransition change = rules.nextTransition(before);
    if (change == null) {
      return first(open, day, rules.getOffset(before), Span.ALL, micros);
    }
    long changeMicros = Micros.ceil(change.getInstant());
    Span early = new Span(Span.ALL.fromMicros(), changeMicros);
    Span late = new Span(changeMicros, Span.ALL.untilMicros());
    return earlier(
        first(open, day, change.getOffsetBefore(), early, micros),
        first(open, day, change.getOffsetAfter(), late, micros));
  }

  private static Span first(
      List<Hours> open, LocalDate day, ZoneOffset offset, Span within, long micros) {
    long midnight = day.atStartOfDay().toEpochSecond(offset);
    for (Hours hours : open) {
      long from = (midnight + hours.fromSecond()) * Micros.PER_SECOND;
      long until = (midnight + hours.untilSecond()) * Micros.PER_SECOND;
      from = Math.max(from, within.fromMicros());
      until = Math.min(until, within.untilMicros());
      if (until > micros && until > from) {
        return new Span(from, until);
      }
    }
    return Span.NONE;
  }

  private static Span earlier(Span one, Span other) {
    return one.fromMicros() <= other.fromMicros() ? one : other;
  }

  private List<Hours> hoursOf(LocalDate day) {
    return week.getOrDefault(day.getDayOfWeek(), List.of());
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
