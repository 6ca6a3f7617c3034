package dev.weir.store.tck.limits;

import dev.weir.limits.Concurrency;
import dev.weir.limits.Limit;
import dev.weir.limits.Queue;
import dev.weir.store.tck.limits.LeaseTrace.Step;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Generates traces of few leases with short and with maximal times. */
public final class LeaseTraces implements ArbitrarySupplier<LeaseTrace> {
  private static final Arbitrary<Integer> NODES = Arbitraries.integers().between(0, 1);
  private static final Arbitrary<Integer> RESOURCES =
      Arbitraries.integers().between(0, LeaseTrace.RESOURCES - 1);
  private static final Arbitrary<Integer> IDS =
      Arbitraries.integers().between(0, LeaseTrace.IDS - 1);
  private static final Arbitrary<Boolean> QUEUES = Arbitraries.of(true, false);

  @Override
  public Arbitrary<LeaseTrace> get() {
    return steps().list().ofMinSize(20).ofMaxSize(60).map(LeaseTrace::new);
  }

  private static Arbitrary<Step> steps() {
    return Arbitraries.frequencyOf(
        Tuple.of(
            12,
            Combinators.combine(
                    NODES, RESOURCES, limits(), IDS, Arbitraries.of(1, 1, 1, 2, 5, 1_000_000))
                .as(
                    (node, resource, limit, id, places) ->
                        new Step.Acquire(
                            node, resource, limit, id, Math.min(places, limit.max())))),
        Tuple.of(4, Combinators.combine(NODES, RESOURCES, limits(), IDS).as(Step.Renew::new)),
        Tuple.of(4, Combinators.combine(NODES, QUEUES, RESOURCES, IDS).as(Step.Release::new)),
        Tuple.of(
            4,
            Combinators.combine(NODES, QUEUES, RESOURCES, IDS, durations())
                .as(Step.ReleaseAfter::new)),
        Tuple.of(10, Combinators.combine(NODES, RESOURCES, queues(), IDS).as(Step.Join::new)),
        Tuple.of(1, Combinators.combine(NODES, QUEUES, RESOURCES).as(Step.Forget::new)),
        Tuple.of(
            6,
            Combinators.combine(
                    Arbitraries.of(0L, 1L, 1_000L, 10_000L, 1_000_000L, Limit.MAX_DURATION_MICROS),
                    Arbitraries.longs().between(-1, 1_500))
                .as((size, more) -> new Step.MoveClock(size + more))),
        Tuple.of(2, Arbitraries.longs().between(-3_000_000, 0).map(Step.MoveClock::new)),
        Tuple.of(5, Arbitraries.of(-1L, 0L, 0L, 1L).map(Step.AwaitRetry::new)));
  }

  private static Arbitrary<Concurrency> limits() {
    return Combinators.combine(
            Arbitraries.of(1, 2, 3, 3, 4, 7, Concurrency.MAX_PLACES), durations())
        .as(Concurrency::new);
  }

  private static Arbitrary<Long> durations() {
    return Arbitraries.of(
        Limit.MIN_DURATION_MICROS, 1_001L, 10_000L, 1_000_000L, Limit.MAX_DURATION_MICROS);
  }

  private static Arbitrary<Queue> queues() {
    return Combinators.combine(
            Arbitraries.of(1, 2, 3, 4, 5, Concurrency.MAX_PLACES),
            Arbitraries.of(
                1L, 500L, 1_000L, 333_333L, Limit.MAX_DURATION_MICROS / Concurrency.MAX_PLACES))
        .as(Queue::new);
  }
}
