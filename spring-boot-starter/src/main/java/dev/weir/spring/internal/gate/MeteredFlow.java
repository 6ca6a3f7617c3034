package dev.weir.spring.internal.gate;

import static java.util.Objects.requireNonNull;

import dev.weir.StoreException;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.Policy;
import dev.weir.micrometer.LimitMeters;
import dev.weir.micrometer.RuleMeters;
import dev.weir.rules.RuleCounters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Records the results of requests as Micrometer meters. */
public final class MeteredFlow implements FlowObserver {
  private final RuleMeters rules;
  private final LimitMeters limits;
  private final Map<Outcome, Counter> remote = new EnumMap<>(Outcome.class);

  public MeteredFlow(MeterRegistry registry) {
    this.rules = new RuleMeters(registry);
    this.limits = new LimitMeters(registry);
    Counter.Builder answers =
        Counter.builder("weir.remote.answers").description("Responses of the Weir server");
    for (Outcome outcome : Outcome.values()) {
      String word = outcome.name().toLowerCase(Locale.ROOT);
      remote.put(outcome, answers.withRegistry(registry).withTag("outcome", word));
    }
  }

  @Override
  public void rulesKnown(Set<String> names) {
    rules.rulesKnown(names);
  }

  @Override
  public RuleCounters counters(String rule) {
    return rules.counters(rule);
  }

  @Override
  public void waiting(int more) {
    rules.waiting(more);
  }

  @Override
  public void remoteDecided(Outcome outcome) {
    requireNonNull(remote.get(outcome)).increment();
  }

  @Override
  public void decided(Policy policy, dev.weir.limits.Outcome outcome, AcquireResult.Mode mode) {
    limits.decided(policy, outcome, mode);
  }

  @Override
  public void taken(Policy policy, boolean isAllowed) {
    limits.taken(policy, isAllowed);
  }

  @Override
  public void replayed() {
    limits.replayed();
  }

  @Override
  public void breakerChanged(String store, CircuitBreaker.State state) {
    FlowObserver.super.breakerChanged(store, state);
    limits.breakerChanged(store, state);
  }

  @Override
  public void storeFailed(String store, StoreException failure) {
    limits.storeFailed(store, failure);
  }
}
