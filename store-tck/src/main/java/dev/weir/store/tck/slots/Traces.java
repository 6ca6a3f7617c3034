package dev.weir.store.tck.slots;

import dev.weir.internal.Micros;
import dev.weir.slots.Calendar;
import dev.weir.slots.NotBefore;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.Overfull;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotState;
import dev.weir.slots.Spread;
import dev.weir.slots.planning.internal.PolicyTimes;
import dev.weir.store.tck.slots.Trace.EventRequest;
import dev.weir.store.tck.slots.Trace.Step;
import dev.weir.store.tck.slots.Trace.TimedEvent;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Generates traces of a minute around noon, with few places, many changes, and all policies. */
public final class Traces implements ArbitrarySupplier<Trace> {
  private static final int EVENTS = 60;

  /** Open for a while around noon, with gaps that cut windows of any size. */
  private static final List<Calendar> CALENDARS =
      List.of(
          Calendar.ALWAYS,
          Calendar.ALWAYS,
          new OpeningHours(
              ZoneId.of("UTC"),
              Map.of(
                  DayOfWeek.MONDAY,
                  List.of(
                      hours("11:59:10", "11:59:47"),
                      hours("12:00:09", "12:00:10"),
                      hours("12:00:17", "13:00"))),
              Set.of()),
          new OpeningHours(
              ZoneId.of("Europe/Berlin"),
              Map.of(
                  DayOfWeek.MONDAY,
                  List.of(hours("13:59:03", "14:00:03"), hours("14:00:33", "16:00"))),
              Set.of()));

  private static final Arbitrary<Integer> NODES = Arbitraries.integers().between(0, 1);
  private static final Arbitrary<Integer> CONFIGS = Arbitraries.of(0, 0, 0, 1);
  private static final Arbitrary<Integer> EVENT = Arbitraries.integers().between(0, EVENTS - 1);

  /** Up to half a minute before or after noon, on whole seconds or not. */
  private static final Arbitrary<Long> TIMES =
      Arbitraries.frequencyOf(
          Tuple.of(3, Arbitraries.longs().between(-30, 30).map(s -> s * Micros.PER_SECOND)),
          Tuple.of(2, Arbitraries.longs().between(-30_000_000, 30_000_000)),
          Tuple.of(3, Arbitraries.just(0L)));

  @Override
  public Arbitrary<Trace> get() {
    return Combinators.combine(
            policies().list().ofSize(2), steps().list().ofMinSize(20).ofMaxSize(60))
        .as(Trace::new);
  }

  private static Arbitrary<Step> steps() {
    return Arbitraries.frequencyOf(
        Tuple.of(24, assign()),
        Tuple.of(4, adopt()),
        Tuple.of(10, Combinators.combine(NODES, EVENT).as(Step.Cancel::new)),
        Tuple.of(3, Combinators.combine(NODES, EVENT).as(Step.Confirm::new)),
        Tuple.of(5, Combinators.combine(NODES, CONFIGS, policies()).as(Step.Configure::new)),
        Tuple.of(5, durations(-4_000_000, 12_000_000).map(Step.MoveClock::new)),
        Tuple.of(1, Combinators.combine(NODES, durations(0, 20_000_000)).as(Step.Reclaim::new)),
        Tuple.of(1, Combinators.combine(NODES, durations(0, 20_000_000)).as(Step.RemovePast::new)),
        Tuple.of(
            2,
            Combinators.combine(
                    NODES,
                    CONFIGS,
                    TIMES,
                    TIMES,
                    Arbitraries.of(SlotQuery.Filter.class),
                    Arbitraries.integers().between(1, 7))
                .as(Step.ListSlots::new)),
        Tuple.of(2, Combinators.combine(NODES, CONFIGS, TIMES, TIMES).as(Step.CountWindows::new)),
        Tuple.of(
            2,
            Combinators.combine(NODES, CONFIGS, TIMES, Arbitraries.integers().between(1, 40))
                .as(Step.Predict::new)));
  }

  private static Arbitrary<Step> assign() {
    Arbitrary<EventRequest> request =
        Combinators.combine(
                EVENT,
                CONFIGS,
                Arbitraries.frequencyOf(
                    Tuple.of(6, TIMES), Tuple.of(1, Arbitraries.just(EventRequest.NOW))),
                Arbitraries.of(true, false))
            .as(EventRequest::new);
    return Combinators.combine(NODES, request.list().ofMinSize(1).ofMaxSize(8))
        .as(Step.Assign::new);
  }

  private static Arbitrary<Step> adopt() {
    Arbitrary<TimedEvent> event =
        Combinators.combine(
                EVENT,
                TIMES,
                Arbitraries.of(SlotState.ASSIGNED, SlotState.ASSIGNED, SlotState.CONFIRMED))
            .as(TimedEvent::new);
    return Combinators.combine(
            NODES, CONFIGS, event.list().ofMinSize(1).ofMaxSize(6), Arbitraries.of(Overfull.class))
        .as(Step.Adopt::new);
  }

  private static Arbitrary<SlotPolicy> policies() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 6),
            Arbitraries.of(4_000_000L, 4_000_000L, 2_000_000L, 3_000_000L, 700_000L, 1_234_567L),
            Arbitraries.of(Spread.EVEN, Spread.EVEN, Spread.EVEN, Spread.RANDOM),
            Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.just(PolicyTimes.UNBOUNDED)),
                Tuple.of(1, Arbitraries.longs().between(0, 15_000_000))),
            Arbitraries.of(NotBefore.REQUESTED, NotBefore.REQUESTED, NotBefore.NOW),
            Arbitraries.of(CALENDARS),
            Arbitraries.frequencyOf(
                Tuple.of(5, Arbitraries.just(PolicyTimes.NOT_PAUSED)),
                Tuple.of(1, TIMES.map(micros -> Micros.ceil(Scene.NOON) + micros))))
        .as(PolicyTimes::policy);
  }

  private static Arbitrary<Duration> durations(long fromMicros, long untilMicros) {
    return Arbitraries.longs().between(fromMicros, untilMicros).map(Micros::duration);
  }

  private static OpeningHours.Hours hours(String from, String until) {
    return OpeningHours.Hours.of(LocalTime.parse(from), LocalTime.parse(until));
  }
}
