package dev.weir.store.tck.slots;

import dev.weir.store.tck.slots.Race.Act;
import dev.weir.store.tck.slots.Race.EventRequest;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Generates races of two events for few places; max rounds end and assign the same event. */
public final class Races implements ArbitrarySupplier<Race> {
  private static final Arbitrary<Integer> EVENTS = Arbitraries.of(0, 0, 0, 1);
  private static final Arbitrary<Integer> CONFIGS = Arbitraries.integers().between(0, 2);
  private static final Arbitrary<Integer> SECONDS = Arbitraries.of(-8, -4, 0, 0, 0, 30);

  @Override
  public Arbitrary<Race> get() {
    return acts().list().ofMinSize(2).ofMaxSize(4).list().ofSize(20).map(Race::new);
  }

  private static Arbitrary<Act> acts() {
    Arbitrary<List<EventRequest>> requests =
        Combinators.combine(EVENTS, CONFIGS, SECONDS)
            .as(EventRequest::new)
            .list()
            .ofMinSize(1)
            .ofMaxSize(2);
    return Arbitraries.frequencyOf(
        Tuple.of(10, requests.map(Act.Assign::new)),
        Tuple.of(10, EVENTS.map(Act.Cancel::new)),
        Tuple.of(2, EVENTS.map(Act.Confirm::new)),
        Tuple.of(1, Arbitraries.create(Act.Reclaim::new)));
  }
}
