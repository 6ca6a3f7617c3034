package dev.weir.micrometer;

import static java.util.Objects.requireNonNull;

import dev.weir.rules.RuleCounters;
import dev.weir.rules.RuleObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Meters of rules: {@code weir.decisions} by rule and outcome, and {@code weir.waiting}, the
 * requests that wait in queues. Thread-safe.
 *
 * <pre>{@code
 * RuleMeters meters = new RuleMeters(registry);
 * RuleIndex index = new RuleIndex(rules, meters);
 * RuleEvaluator evaluator = new RuleEvaluator(index, stores, meters);
 * }</pre>
 */
public final class RuleMeters implements RuleObserver {
  private final MeterRegistry registry;
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * A rule keeps its counters: with others, all rules would be built anew whenever they are read.
   */
  private final Map<String, RuleCounters> rules = new ConcurrentHashMap<>();

  /** Registers the meters. */
  public RuleMeters(MeterRegistry registry) {
    this.registry = requireNonNull(registry, "registry");
    Gauge.builder("weir.waiting", waiting, AtomicInteger::get)
        .description("Requests that wait in a queue of this service")
        .register(registry);
  }

  /** Forgets the counters of rules that were removed. Their meters stay in the registry. */
  @Override
  public void rulesKnown(Set<String> names) {
    rules.keySet().retainAll(names);
  }

  @Override
  public RuleCounters counters(String rule) {
    return rules.computeIfAbsent(rule, this::registered);
  }

  private RuleCounters registered(String rule) {
    Outcomes<RuleCounters.Kind> outcomes =
        new Outcomes<>(
            RuleCounters.Kind.class,
            Counter.builder("weir.decisions")
                .description("Decisions of rules about requests")
                .tag("rule", rule),
            registry);
    return outcomes::count;
  }

  @Override
  public void waiting(int change) {
    waiting.addAndGet(change);
  }
}
