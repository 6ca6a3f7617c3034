package dev.weir.slots.planning.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.Calendar;
import dev.weir.slots.NotBefore;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;

/** Generated scenarios: small windows and few places, so that everything collides. */
final class Scenarios {
  private static final int DAY_MINUTES = 24 * 60;

  private Scenarios() {}

  /** Always open; around the epoch, today, and at both ends of the range of times. */
  static Arbitrary<Scenario> alwaysOpen(Spread spread) {
    Arbitrary<Long> sizes =
        Arbitraries.oneOf(
            Arbitraries.of(1_000L, 1_023L, 4_000_000L, 86_400_000_000L, 31 * 86_400_000_000L),
            Arbitraries.longs().between(1_000, 100_000));
    Arbitrary<Long> bases =
        Arbitraries.of(0L, Micros.EARLIEST, Micros.LATEST, 1_780_315_200_000_000L, -123_456_789L);
    Arbitrary<Integer> limits =
        Arbitraries.frequencyOf(
            Tuple.of(5, Arbitraries.integers().between(1, 9)),
            Tuple.of(1, Arbitraries.integers().between(10, 150)));
    return Combinators.combine(sizes, bases, limits)
        .flatAs(
            (size, base, limit) ->
                policy(limit, size, spread, Calendar.ALWAYS, base)
                    .flatMap(
                        policy ->
                            steps(policy, base)
                                .map(steps -> new Scenario(policy, NaivePlanner.ALWAYS, steps))));
  }

  /** With opening hours, around a daylight-saving change. */
  static Arbitrary<Scenario> openingHours(Spread spread) {
    Arbitrary<Long> sizes =
        Arbitraries.of(
            600_000_000L, 900_000_000L, 1_234_567_891L, 3_600_000_000L, 7 * 3_600_000_000L);
    return Combinators.combine(hours(), sizes, Arbitraries.integers().between(1, 9))
        .flatAs(
            (hours, size, limit) -> {
              long change = Micros.ceil(hours.get2());
              NaiveHours sign = hours.get1();
              return Arbitraries.longs()
                  .between(-30, 2)
                  .map(hour -> change + hour * 3_600_000_000L)
                  .flatMap(
                      base ->
                          policy(limit, size, spread, sign.calendar(), base)
                              .flatMap(
                                  policy ->
                                      steps(policy, base)
                                          .map(steps -> new Scenario(policy, sign, steps))));
            });
  }

  /** Opening hours on the minute, with a daylight-saving change in their zone. */
  static Arbitrary<Tuple2<NaiveHours, Instant>> hours() {
    return changes()
        .flatMap(
            change ->
                Combinators.combine(week(), closedDates(change.get2()))
                    .as(
                        (week, closed) ->
                            Tuple.of(new NaiveHours(change.get1(), week, closed), change.get2())));
  }

  private static Arbitrary<Tuple2<ZoneId, Instant>> changes() {
    Arbitrary<ZoneId> zones =
        Arbitraries.of(
                "Europe/Berlin",
                "America/New_York",
                "Asia/Kathmandu",
                "Australia/Lord_Howe",
                "America/Sao_Paulo",
                "America/St_Johns",
                "Africa/Casablanca",
                "Pacific/Apia")
            .map(ZoneId::of);
    Arbitrary<Instant> times =
        Arbitraries.longs()
            .between(
                Instant.parse("2005-01-01T00:00:00Z").getEpochSecond(),
                Instant.parse("2027-01-01T00:00:00Z").getEpochSecond())
            .map(Instant::ofEpochSecond);
    return Combinators.combine(zones, times)
        .as(
            (zone, time) -> {
              ZoneOffsetTransition change = zone.getRules().nextTransition(time);
              return Tuple.of(zone, change == null ? time : change.getInstant());
            });
  }

  /** Three days on which every search ends soon, and arbitrary hours on the others. */
  private static Arbitrary<Map<DayOfWeek, List<OpeningHours.Hours>>> week() {
    Arbitrary<Integer> minutes =
        Arbitraries.oneOf(
            Arbitraries.of(0, 60, 90, 120, 150, 180, 23 * 60, DAY_MINUTES - 1),
            Arbitraries.integers().between(0, DAY_MINUTES - 1));
    Arbitrary<OpeningHours.Hours> some =
        Combinators.combine(minutes, minutes)
            .as((from, until) -> new OpeningHours.Hours(from * 60, until * 60));
    Arbitrary<OpeningHours.Hours> mostOfTheDay =
        minutes.map(from -> new OpeningHours.Hours(from * 60, (from * 60 + 23 * 3600) % 86_400));
    Arbitrary<OpeningHours.Hours> whole = Arbitraries.just(new OpeningHours.Hours(0, 86_400));
    Arbitrary<List<OpeningHours.Hours>> anyDay = some.list().ofMaxSize(3);
    Arbitrary<List<OpeningHours.Hours>> longDay =
        Arbitraries.oneOf(mostOfTheDay, whole).map(List::of);
    return Combinators.combine(anyDay.list().ofSize(4), longDay.list().ofSize(3))
        .as(
            (any, longer) -> {
              Map<DayOfWeek, List<OpeningHours.Hours>> week = new HashMap<>();
              for (int day = 0; day < 7; day++) {
                week.put(
                    DayOfWeek.of(day + 1), day % 2 == 0 ? any.get(day / 2) : longer.get(day / 2));
              }
              return week;
            });
  }

  private static Arbitrary<Set<LocalDate>> closedDates(Instant around) {
    LocalDate day = LocalDate.ofInstant(around, ZoneId.of("UTC"));
    return Arbitraries.integers().between(-3, 6).map(day::plusDays).set().ofMaxSize(2);
  }

  private static Arbitrary<SlotPolicy> policy(
      int limit, long size, Spread spread, Calendar calendar, long base) {
    Arbitrary<Long> delays =
        Arbitraries.oneOf(
            Arbitraries.just(PolicyTimes.UNBOUNDED),
            Arbitraries.longs().between(0, 5 * size),
            Arbitraries.just(Micros.LATEST - Micros.EARLIEST));
    Arbitrary<Long> pauses =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.just(PolicyTimes.NOT_PAUSED)),
            Tuple.of(1, Arbitraries.longs().between(-size, 3 * size).map(by -> near(base, by))));
    return Combinators.combine(delays, pauses, Arbitraries.of(NotBefore.class))
        .as(
            (delay, pausedUntil, notBefore) ->
                PolicyTimes.policy(limit, size, spread, delay, notBefore, calendar, pausedUntil));
  }

  private static Arbitrary<List<Scenario.Step>> steps(SlotPolicy policy, long base) {
    long size = policy.windowMicros();
    Arbitrary<Long> times =
        Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.just(0L)),
                Tuple.of(2, Arbitraries.integers().between(-2, 6).map(by -> by * size)),
                Tuple.of(3, Arbitraries.longs().between(-size, 2 * size)),
                Tuple.of(1, Arbitraries.longs().between(-2 * size, 15 * size)))
            .map(by -> near(base, by));
    Arbitrary<Integer> events =
        Arbitraries.frequencyOf(
            Tuple.of(4, Arbitraries.just(1)), Tuple.of(1, Arbitraries.integers().between(2, 30)));
    Arbitrary<Scenario.Step> request =
        Combinators.combine(times, times, events)
            .as(
                (requested, now, n) ->
                    new Scenario.Step.Request(new PlacementRequest(requested, now), n));
    Arbitrary<Scenario.Step> cancel =
        Arbitraries.integers().between(0, 1_000).map(Scenario.Step.Cancel::new);
    Arbitrary<Scenario.Step> limit =
        Arbitraries.integers().between(1, 12).map(Scenario.Step.Limit::new);
    int toggles = policy.calendar() instanceof Calendar.Always ? 1 : 8;
    Arbitrary<Scenario.Step> hours = Arbitraries.of(true, false).map(Scenario.Step.Hours::new);
    return Arbitraries.frequencyOf(
            Tuple.of(16, request),
            Tuple.of(8, cancel),
            Tuple.of(2, limit),
            Tuple.of(toggles, hours))
        .list()
        .ofMaxSize(40);
  }

  private static long near(long base, long byMicros) {
    return Math.clamp(base + byMicros, Micros.EARLIEST, Micros.LATEST);
  }

  /** A whole-day calendar for tests that need one. */
  static NaiveHours daily(String zone, Duration from, Duration until) {
    Map<DayOfWeek, List<OpeningHours.Hours>> week = new HashMap<>();
    for (DayOfWeek day : DayOfWeek.values()) {
      week.put(
          day, List.of(new OpeningHours.Hours((int) from.toSeconds(), (int) until.toSeconds())));
    }
    return new NaiveHours(ZoneId.of(zone), week, Set.of());
  }
}
