package dev.weir.notifications.kit;

import dev.weir.internal.Micros;
import dev.weir.notifications.kit.HotTrace.Step;
import dev.weir.notifications.messages.UserLimit;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Generates traces of a user with a low limit. */
public final class HotTraces implements ArbitrarySupplier<HotTrace> {
  @Override
  public Arbitrary<HotTrace> get() {
    return Combinators.combine(configurations(), steps().list().ofMinSize(20).ofMaxSize(60))
        .as(
            (first, later) -> {
              List<Step> steps = new ArrayList<>();
              steps.add(first);
              steps.addAll(later);
              return new HotTrace(steps);
            });
  }

  private static Arbitrary<Step> steps() {
    return Arbitraries.frequencyOf(
        Tuple.of(20, Arbitraries.of(1, 1, 1, 2, 3).map(Step.Send::new)),
        Tuple.of(2, Arbitraries.create(Step.Withdraw::new)),
        Tuple.of(1, Arbitraries.create(Step.Lose::new)),
        Tuple.of(1, configurations()),
        Tuple.of(
            4,
            Arbitraries.oneOf(
                    Arbitraries.longs().between(0, 70 * Micros.PER_SECOND),
                    Arbitraries.of(1L, 4_999_999L, 5_000_000L, 59_999_999L, 60_000_000L))
                .map(Step.MoveClock::new)));
  }

  private static Arbitrary<Step> configurations() {
    return Combinators.combine(
            Arbitraries.of(1, 2, 3, 5),
            Arbitraries.of(UserLimit.Algorithm.class),
            Arbitraries.of(UserLimit.CostBy.class))
        .as(Step.Configure::new);
  }
}
