package dev.weir.spring;

import static java.util.Objects.requireNonNull;

import dev.weir.StoreException;
import dev.weir.rules.RuleCounters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Records the results of requests as Micrometer meters. */
final class MeteredFlow implements FlowObserver {
  private final MeterRegistry registry;
  private final AtomicInteger waiting = new AtomicInteger();
  private final Map<Outcome, Counter> remote;

  MeteredFlow(MeterRegistry registry) {
    this.registry = registry;
    Gauge.builder("weir.waiting", waiting, AtomicInteger::get)
        .description("Requests that wait in a queue of this service")
        .register(registry);
    this.remote =
        byOutcome(
            Outcome.class,
            Counter.builder("weir.remote.answers").description("Responses of the Weir server"));
  }

  @Override
  public RuleCounters counters(String rule) {
    Map<RuleCounters.Kind, Counter> counters =
        byOutcome(
            RuleCounters.Kind.class,
            Counter.builder("weir.decisions")
                .description("Decisions of rules about requests")
                .tag("rule", rule));
    return outcome -> requireNonNull(counters.get(outcome)).increment();
  }

  /** Returns one counter for each outcome. */
  private <E extends Enum<E>> Map<E, Counter> byOutcome(
      Class<E> outcomes, Counter.Builder counter) {
    Map<E, Counter> counters = new EnumMap<>(outcomes);
    for (E outcome : outcomes.getEnumConstants()) {
      counters.put(outcome, counter.withRegistry(registry).withTag("outcome", word(outcome)));
    }
    return counters;
  }

  @Override
  public void waiting(int more) {
    waiting.addAndGet(more);
  }

  @Override
  public void remoteDecided(Outcome outcome) {
    requireNonNull(remote.get(outcome)).increment();
  }

  @Override
  public void storeFailed(String store, StoreException failure) {
    Counter.builder("weir.store.failures")
        .description("Requests that a store did not answer")
        .tag("store", store)
        .register(registry)
        .increment();
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
