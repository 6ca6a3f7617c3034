package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Micros;
import dev.weir.slots.OpeningHours;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.constraints.LongRange;

class OpeningHoursTest {
  private static final long MINUTE = 60_000_000L;
  private static final long DAY = 24 * 60 * MINUTE;

  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  void opensByTheLocalTime(
      @ForAll("hours") Tuple2<NaiveHours, Instant> hours,
      @ForAll @LongRange(min = -3 * DAY, max = 3 * DAY) long byMicros) {
    checkAgainstTheWall(hours.get1(), Micros.ceil(hours.get2()) + byMicros);
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void opensRightOnTheMinuteOfAChange(
      @ForAll("hours") Tuple2<NaiveHours, Instant> hours,
      @ForAll @LongRange(min = -150, max = 150) long byMinutes) {
    checkAgainstTheWall(hours.get1(), Micros.ceil(hours.get2()) + byMinutes * MINUTE);
  }

  /** Checks every minute: opening hours and clock changes are on the minute. */
  private static void checkAgainstTheWall(NaiveHours wall, long micros) {
    TimeSpan span = OpenTimes.at(wall.calendar(), micros);
    assertThat(span.untilMicros()).isGreaterThan(micros).isGreaterThan(span.fromMicros());
    if (span.fromMicros() > micros) {
      assertThat(wall.test(micros)).as("closed at %d", micros).isFalse();
    }
    long next = (Math.floorDiv(micros, MINUTE) + 1) * MINUTE;
    assertThat(minutes(next, span.fromMicros()).filter(wall).mapToObj(Micros::instant))
        .as("open before %s", span)
        .isEmpty();
    assertThat(
            minutes(span.fromMicros(), span.untilMicros())
                .filter(wall.negate())
                .mapToObj(Micros::instant))
        .as("closed within %s", span)
        .isEmpty();
    assertThat(wall.test(span.untilMicros() - 1)).isTrue();
  }

  private static LongStream minutes(long from, long until) {
    return LongStream.iterate(from, time -> time < until, time -> time + MINUTE);
  }

  @Provide
  Arbitrary<Tuple2<NaiveHours, Instant>> hours() {
    return Arbitraries.lazy(Scenarios::hours);
  }

  @Example
  void opensOnWeekdaysFromNineToFive() {
    OpeningHours office = office(Set.of());
    // A Friday evening in summer.
    assertThat(open(office, "2026-06-05T16:00:00Z"))
        .isEqualTo(span("2026-06-08T07:00:00Z", "2026-06-08T15:00:00Z"));
    assertThat(open(office, "2026-06-08T14:59:59.999999Z"))
        .isEqualTo(span("2026-06-08T07:00:00Z", "2026-06-08T15:00:00Z"));
    assertThat(open(office, "2026-06-08T15:00:00Z"))
        .isEqualTo(span("2026-06-09T07:00:00Z", "2026-06-09T15:00:00Z"));
  }

  @Example
  void passesOverClosedDates() {
    OpeningHours office = office(Set.of(LocalDate.of(2026, 6, 8), LocalDate.of(2026, 6, 9)));
    assertThat(open(office, "2026-06-05T16:00:00Z"))
        .isEqualTo(span("2026-06-10T07:00:00Z", "2026-06-10T15:00:00Z"));
  }

  @Example
  void passesOverAsManyClosedDatesAsThereMayBe() {
    LocalDate first = LocalDate.of(2026, 6, 1);
    OpeningHours mondays =
        new OpeningHours(
            ZoneId.of("UTC"),
            Map.of(DayOfWeek.MONDAY, List.of(new OpeningHours.Hours(0, 3_600))),
            IntStream.range(0, OpeningHours.MAX_CLOSED_DATES)
                .mapToObj(first::plusWeeks)
                .collect(Collectors.toSet()));
    LocalDate open = first.plusWeeks(OpeningHours.MAX_CLOSED_DATES);
    assertThat(open(mondays, "2026-05-26T00:00:00Z"))
        .isEqualTo(span(open + "T00:00:00Z", open + "T01:00:00Z"));
  }

  @Example
  void isNotOpenInAnHourThatTheClockLeavesOut() {
    // Berlin, 29 March 2026: 02:00 becomes 03:00 at 01:00Z.
    assertThat(open(daily("Europe/Berlin", 2, 3), "2026-03-28T12:00:00Z"))
        .isEqualTo(span("2026-03-30T00:00:00Z", "2026-03-30T01:00:00Z"));
    assertThat(open(daily("Europe/Berlin", 1, 4), "2026-03-28T23:00:00Z").fromMicros())
        .isEqualTo(micros("2026-03-29T00:00:00Z"));
  }

  @Example
  void isOpenTwiceInAnHourThatTheClockRepeats() {
    // Berlin, 25 October 2026: 03:00 becomes 02:00 at 01:00Z.
    OpeningHours hours = daily("Europe/Berlin", 2, 3);
    assertThat(open(hours, "2026-10-24T12:00:00Z"))
        .isEqualTo(span("2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"));
    assertThat(open(hours, "2026-10-25T01:00:00Z"))
        .isEqualTo(span("2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"));
  }

  @Example
  void beginsLateOnADayThatHasNoMidnight() {
    // Sao Paulo, 4 November 2018: 00:00 becomes 01:00 at 03:00Z.
    OpeningHours hours = daily("America/Sao_Paulo", 0, 2);
    assertThat(open(hours, "2018-11-04T00:00:00Z"))
        .isEqualTo(span("2018-11-04T03:00:00Z", "2018-11-04T04:00:00Z"));
    assertThat(open(daily("America/Sao_Paulo", 0, 1), "2018-11-04T00:00:00Z"))
        .isEqualTo(span("2018-11-05T02:00:00Z", "2018-11-05T03:00:00Z"));
  }

  @Example
  void isOpenOnBothDaysWhenTheClockGoesBackOverMidnight() {
    // St. John's, 7 November 2010: 00:01 becomes 23:01 of the day before at 02:31Z.
    OpeningHours hours = daily("America/St_Johns", 0, 24);
    assertThat(open(hours, "2010-11-07T02:30:30Z"))
        .isEqualTo(span("2010-11-07T02:30:00Z", "2010-11-07T02:31:00Z"));
    assertThat(open(hours, "2010-11-07T02:31:00Z"))
        .isEqualTo(span("2010-11-07T02:31:00Z", "2010-11-07T03:30:00Z"));
  }

  @Example
  void leavesOutADayThatACountryLeftOut() {
    // Samoa went from 29 to 31 December 2011.
    OpeningHours fridays =
        new OpeningHours(
            ZoneId.of("Pacific/Apia"),
            Map.of(DayOfWeek.FRIDAY, List.of(new OpeningHours.Hours(0, 86_400))),
            Set.of());
    assertThat(open(fridays, "2011-12-26T00:00:00Z").fromMicros())
        .isEqualTo(micros("2012-01-05T10:00:00Z"));
  }

  @Example
  void closesOnlyItsOwnPartOfANight() {
    NaiveHours nights = Scenarios.daily("UTC", Duration.ofHours(22), Duration.ofHours(6));
    OpeningHours hours =
        new OpeningHours(nights.zone(), nights.week(), Set.of(LocalDate.of(2026, 6, 2)));
    assertThat(open(hours, "2026-06-01T12:00:00Z"))
        .isEqualTo(span("2026-06-01T22:00:00Z", "2026-06-02T00:00:00Z"));
    assertThat(open(hours, "2026-06-02T00:00:00Z"))
        .isEqualTo(span("2026-06-03T00:00:00Z", "2026-06-03T06:00:00Z"));
  }

  @Example
  void readsMidnightAsTheEndOfADay() {
    assertThat(OpeningHours.Hours.of(LocalTime.of(9, 0), LocalTime.MIDNIGHT))
        .isEqualTo(new OpeningHours.Hours(9 * 3_600, 86_400));
    OpeningHours wholeDays = daily("UTC", 0, 24);
    assertThat(open(wholeDays, "2026-06-02T00:00:00Z"))
        .isEqualTo(span("2026-06-02T00:00:00Z", "2026-06-03T00:00:00Z"));
    assertThat(daily("UTC", 0, 0)).isEqualTo(wholeDays);
  }

  @Example
  void mergesHoursThatOverlapOrTouch() {
    OpeningHours hours =
        new OpeningHours(
            ZoneId.of("UTC"),
            Map.of(
                DayOfWeek.MONDAY,
                List.of(
                    new OpeningHours.Hours(7_200, 10_800),
                    new OpeningHours.Hours(0, 3_600),
                    new OpeningHours.Hours(3_600, 7_300),
                    new OpeningHours.Hours(20_000, 20_001))),
            Set.of());
    assertThat(hours.week())
        .containsOnly(
            Map.entry(
                DayOfWeek.MONDAY,
                List.of(
                    new OpeningHours.Hours(0, 10_800), new OpeningHours.Hours(20_000, 20_001))));
  }

  @Example
  void answersAtTheEndsOfTime() {
    OpeningHours hours = daily("Asia/Kathmandu", 9, 17);
    assertThat(OpenTimes.at(hours, Micros.EARLIEST).untilMicros()).isGreaterThan(Micros.EARLIEST);
    assertThat(OpenTimes.at(hours, Long.MIN_VALUE).untilMicros()).isGreaterThan(Long.MIN_VALUE);
    assertThat(OpenTimes.at(hours, Micros.LATEST).untilMicros()).isGreaterThan(Micros.LATEST);
    assertThat(OpenTimes.at(hours, Micros.LATEST + 1).isEmpty()).isTrue();
    assertThat(OpenTimes.at(hours, TimeSpan.NEVER).isEmpty()).isTrue();
  }

  @Example
  void refusesInvalidHours() {
    assertThatThrownBy(() -> new OpeningHours.Hours(-1, 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("from must be a time of day, not second -1");
    assertThatThrownBy(() -> new OpeningHours.Hours(86_400, 5)).hasMessageContaining("from");
    assertThatThrownBy(() -> new OpeningHours.Hours(0, -1)).hasMessageContaining("until");
    assertThatThrownBy(() -> new OpeningHours.Hours(0, 86_401)).hasMessageContaining("until");
    ZoneId zone = ZoneId.of("UTC");
    assertThatThrownBy(() -> new OpeningHours(zone, Map.of(DayOfWeek.MONDAY, List.of()), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("open at some time of the week");
    Set<LocalDate> tooMany =
        IntStream.rangeClosed(0, OpeningHours.MAX_CLOSED_DATES)
            .mapToObj(LocalDate::ofEpochDay)
            .collect(Collectors.toSet());
    assertThatThrownBy(() -> new OpeningHours(zone, daily("UTC", 0, 1).week(), tooMany))
        .hasMessageContaining("closedDates must be at most 2000, not 2001");
  }

  private static OpeningHours office(Set<LocalDate> closedDates) {
    Map<DayOfWeek, List<OpeningHours.Hours>> week = new EnumMap<>(DayOfWeek.class);
    for (int day = 1; day <= 5; day++) {
      week.put(
          DayOfWeek.of(day),
          List.of(OpeningHours.Hours.of(LocalTime.of(9, 0), LocalTime.of(17, 0))));
    }
    return new OpeningHours(ZoneId.of("Europe/Berlin"), week, closedDates);
  }

  private static OpeningHours daily(String zone, int fromHour, int untilHour) {
    return Scenarios.daily(zone, Duration.ofHours(fromHour), Duration.ofHours(untilHour))
        .calendar();
  }

  private static TimeSpan open(OpeningHours hours, String time) {
    return OpenTimes.at(hours, micros(time));
  }

  private static TimeSpan span(String from, String until) {
    return new TimeSpan(micros(from), micros(until));
  }

  private static long micros(String time) {
    return Micros.ceil(Instant.parse(time));
  }
}
