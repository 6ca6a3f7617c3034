package dev.weir.store.tck.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import dev.weir.store.tck.limits.LimitClaims.LimitOfEachKind;
import dev.weir.store.tck.limits.LimitTrace.Choice;
import dev.weir.store.tck.limits.LimitTrace.Part;
import dev.weir.store.tck.limits.LimitTrace.Step;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Generates traces on small and on maximal limits, with a clock that jumps both ways. */
public final class LimitTraces implements ArbitrarySupplier<LimitTrace> {
  private static final Arbitrary<Integer> NODES = Arbitraries.integers().between(0, 1);
  private static final Arbitrary<Integer> POLICIES =
      Arbitraries.integers().between(0, LimitTrace.POLICIES - 1);
  private static final Arbitrary<Integer> KEYS =
      Arbitraries.frequency(Tuple.of(6, 0), Tuple.of(2, 1), Tuple.of(1, 2), Tuple.of(1, 3));
  private static final Arbitrary<Integer> IDS = Arbitraries.integers().between(1, 3);
  private static final Arbitrary<Long> A_MOMENT = Arbitraries.of(-1L, 0L, 0L, 1L);

  /** Windows that divide each other, windows that do not, and the extremes of the valid range. */
  private static final Arbitrary<Long> WINDOWS =
      Arbitraries.frequencyOf(
          Tuple.of(
              6,
              Arbitraries.of(
                  Limit.MIN_DURATION_MICROS,
                  1_007L,
                  10_000L,
                  Micros.PER_SECOND,
                  60 * Micros.PER_SECOND,
                  7_919_000_001L,
                  Limit.MAX_DURATION_MICROS)),
          Tuple.of(3, Arbitraries.longs().between(Limit.MIN_DURATION_MICROS, 100_000)),
          Tuple.of(
              1,
              Arbitraries.longs().between(Limit.MIN_DURATION_MICROS, Limit.MAX_DURATION_MICROS)));

  @Override
  public Arbitrary<LimitTrace> get() {
    return Combinators.combine(
            choices().list().ofSize(LimitTrace.POLICIES),
            steps().list().ofMinSize(20).ofMaxSize(60))
        .as(LimitTrace::new);
  }

  private static Arbitrary<Step> steps() {
    return Arbitraries.frequencyOf(
        Tuple.of(18, decide()),
        Tuple.of(8, Combinators.combine(NODES, part()).as(Step.Take::new)),
        Tuple.of(3, Combinators.combine(NODES, parts()).as(Step.Peek::new)),
        Tuple.of(
            4,
            Combinators.combine(NODES, Arbitraries.integers().between(0, 4)).as(Step.Refund::new)),
        Tuple.of(1, Combinators.combine(NODES, POLICIES, KEYS).as(Step.Forget::new)),
        Tuple.of(3, Combinators.combine(POLICIES, choices()).as(Step.Change::new)),
        Tuple.of(2, Combinators.combine(NODES, POLICIES).as(Step.Settle::new)),
        Tuple.of(1, Combinators.combine(NODES, POLICIES, KEYS).as(Step.SettleKey::new)),
        Tuple.of(8, clockSteps().map(Step.MoveClock::new)),
        Tuple.of(4, A_MOMENT.map(Step.AwaitRetry::new)),
        Tuple.of(3, A_MOMENT.map(Step.AwaitReset::new)),
        Tuple.of(2, Combinators.combine(IDS, A_MOMENT).as(Step.AwaitTtl::new)));
  }

  private static Arbitrary<Step> decide() {
    return Combinators.combine(
            NODES,
            parts(),
            Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.just(LimitTrace.NO_ID)), Tuple.of(2, IDS)),
            Arbitraries.frequencyOf(
                Tuple.of(1, Arbitraries.of(1L, 1_000L, 86_400_000L)),
                Tuple.of(1, Arbitraries.longs().between(1, 600_000))),
            Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.just(0)),
                Tuple.of(1, Arbitraries.integers().between(1, 7))))
        .as(Step.Decide::new);
  }

  private static Arbitrary<List<Part>> parts() {
    return Arbitraries.frequencyOf(
            Tuple.of(3, part().list().ofSize(1)),
            Tuple.of(2, part().list().ofMinSize(2).ofMaxSize(4)))
        .map(LimitTraces::distinct);
  }

  private static Arbitrary<Part> part() {
    return Combinators.combine(
            POLICIES,
            KEYS,
            Arbitraries.frequencyOf(
                Tuple.of(4, Arbitraries.just(0)),
                Tuple.of(1, Arbitraries.just(1_000)),
                Tuple.of(3, Arbitraries.integers().between(0, 1_000))),
            Arbitraries.longs().between(-2, 3))
        .as(Part::new);
  }

  private static List<Part> distinct(List<Part> parts) {
    Set<Integer> seen = new HashSet<>();
    return parts.stream()
        .filter(part -> seen.add(part.policy() * LimitTrace.KEYS + part.key()))
        .toList();
  }

  /** Microseconds, whole windows or years, forward or backward. */
  private static Arbitrary<Long> clockSteps() {
    return Combinators.combine(
            Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.longs().between(0, 3)),
                Tuple.of(3, Arbitraries.longs().between(0, 100_000)),
                Tuple.of(6, WINDOWS),
                Tuple.of(1, Arbitraries.longs().between(0, 3 * Limit.MAX_DURATION_MICROS))),
            A_MOMENT,
            Arbitraries.of(1, 1, 1, -1))
        .as((size, moment, sign) -> sign * size + moment);
  }

  private static Arbitrary<Choice> choices() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 2),
            Combinators.combine(fixedWindows(), slidingWindows(), buckets())
                .as(LimitOfEachKind::new))
        .as(Choice::new);
  }

  private static Arbitrary<FixedWindow> fixedWindows() {
    return Combinators.combine(
            upTo(FixedWindow.MAX_LIMIT), WINDOWS, Arbitraries.of(FixedWindow.Start.class))
        .as(FixedWindow::new);
  }

  private static Arbitrary<SlidingWindow> slidingWindows() {
    return Combinators.combine(upTo(SlidingWindow.MAX_LIMIT), WINDOWS).as(SlidingWindow::new);
  }

  /** Rates from a token in years to a million in a microsecond, within the valid range. */
  private static Arbitrary<TokenBucket> buckets() {
    Arbitrary<Long> tokens =
        Arbitraries.frequencyOf(
            Tuple.of(4, Arbitraries.longs().between(1, 12)),
            Tuple.of(1, Arbitraries.longs().between(1, 1_000_000)));
    return Combinators.combine(upTo(TokenBucket.MAX_CAPACITY), tokens, WINDOWS)
        .as(
            (capacity, refillTokens, micros) -> {
              long maxMicros = Usage.MAX_VALUE / capacity;
              return new TokenBucket(capacity, refillTokens, Math.min(micros, maxMicros));
            });
  }

  private static Arbitrary<Long> upTo(long max) {
    return Arbitraries.frequencyOf(
        Tuple.of(6, Arbitraries.longs().between(1, 10)),
        Tuple.of(2, Arbitraries.longs().between(10, 1_000)),
        Tuple.of(1, Arbitraries.longs().between(max - 3, max)),
        Tuple.of(1, Arbitraries.longs().between(1, max)));
  }
}
