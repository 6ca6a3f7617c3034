package dev.weir.server.metrics;

import dev.weir.core.limits.LeaseDecision;
import dev.weir.engine.limits.Answer;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/** Limits as metrics. Labels have few values: beyond so many rules, the rest are one. */
public final class LimitMetrics {
  /** So many rules have a label of their own, those that came first. */
  static final int MOST_RULES = 100;

  static final String OTHER_RULES = "other";

  private final PrometheusRegistry registry;
  private final Counter decisions;
  private final Map<String, RuleCounts> rules = new HashMap<>();
  private final Map<Answer.Mode, CounterDataPoint> modes = new EnumMap<>(Answer.Mode.class);
  private final RuleCounts otherRules;
  private final RuleCounts buckets;
  private final CounterDataPoint leasesHeld;
  private final CounterDataPoint leasesRefused;
  private final CounterDataPoint leasesGone;

  public LimitMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    decisions =
        Counter.builder()
            .name("rate_limiter_decisions")
            .help("Decisions about demands, for each of the rules that were asked.")
            .labelNames("rule", "outcome")
            .register(registry);
    otherRules = counts(OTHER_RULES);
    Counter byMode =
        Counter.builder()
            .name("rate_limiter_decision_mode")
            .help("Demands by who decided them.")
            .labelNames("mode")
            .register(registry);
    for (Answer.Mode mode : Answer.Mode.values()) {
      modes.put(mode, byMode.labelValues(lower(mode)));
    }
    Counter ofBuckets =
        Counter.builder()
            .name("rate_limiter_bucket_decisions")
            .help("Decisions about tokens of resources.")
            .labelNames("outcome")
            .register(registry);
    buckets =
        new RuleCounts(
            ofBuckets.labelValues("allowed"),
            ofBuckets.labelValues("refused"),
            ofBuckets.labelValues("replayed"));
    Counter leases =
        Counter.builder()
            .name("rate_limiter_lease_decisions")
            .help("Decisions about leases: given or renewed, refused, or gone.")
            .labelNames("outcome")
            .register(registry);
    leasesHeld = leases.labelValues("held");
    leasesRefused = leases.labelValues("refused");
    leasesGone = leases.labelValues("gone");
  }

  /** Shows how many keys are counted in the memory of this node. */
  public void keysInMemory(LongSupplier keys) {
    GaugeWithCallback.builder()
        .name("rate_limiter_limit_keys")
        .help("Keys that are counted in the memory of this node.")
        .callback(callback -> callback.call((double) keys.getAsLong()))
        .register(registry);
  }

  /** What is counted of one rule. */
  public record RuleCounts(
      CounterDataPoint allowed, CounterDataPoint refused, CounterDataPoint replayed) {
    /** Counts a decision. */
    public void count(boolean isAllowed, boolean isReplayed) {
      if (isReplayed) {
        replayed.inc();
      } else if (isAllowed) {
        allowed.inc();
      } else {
        refused.inc();
      }
    }
  }

  /** Where decisions by this rule are counted. */
  public synchronized RuleCounts rule(String name) {
    return rules.containsKey(name) || rules.size() < MOST_RULES
        ? rules.computeIfAbsent(name, this::counts)
        : otherRules;
  }

  private RuleCounts counts(String label) {
    return new RuleCounts(
        decisions.labelValues(label, "allowed"),
        decisions.labelValues(label, "refused"),
        decisions.labelValues(label, "replayed"));
  }

  /** Where decisions about tokens of resources are counted. */
  public RuleCounts buckets() {
    return buckets;
  }

  public void decided(Answer.Mode mode) {
    CounterDataPoint count = modes.get(mode);
    if (count != null) {
      count.inc();
    }
  }

  public void decided(LeaseDecision decision) {
    switch (decision) {
      case LeaseDecision.Held held -> leasesHeld.inc();
      case LeaseDecision.Full full -> leasesRefused.inc();
      case LeaseDecision.Gone gone -> leasesGone.inc();
    }
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
