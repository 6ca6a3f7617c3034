package dev.weir.server.metrics;

import dev.weir.core.limits.LeaseDecision;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Breaker;
import dev.weir.engine.limits.LimitObserver;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits as metrics, and in the log when a store goes and comes. Labels have few values: beyond so
 * many rules, the rest are one.
 */
public final class LimitMetrics implements LimitObserver {
  /** So many rules have a label of their own, those that came first. */
  static final int MOST_RULES = 100;

  static final String OTHER_RULES = "other";

  private static final Logger log = LoggerFactory.getLogger(LimitMetrics.class);

  private final PrometheusRegistry registry;
  private final Counter decisions;
  private final Counter storeErrors;
  private final Gauge storesGone;
  private final Map<String, RuleCounts> rules = new HashMap<>();
  private final Map<Answer.Mode, CounterDataPoint> modes = new EnumMap<>(Answer.Mode.class);
  private final RuleCounts otherRules;
  private final RuleCounts buckets;
  private final CounterDataPoint leasesHeld;
  private final CounterDataPoint leasesRefused;
  private final CounterDataPoint leasesGone;

  public LimitMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    storeErrors =
        Counter.builder()
            .name("rate_limiter_limit_store_errors")
            .help("Calls that a store of limits did not answer.")
            .labelNames("store")
            .register(registry);
    storesGone =
        Gauge.builder()
            .name("rate_limiter_limit_store_gone")
            .help("Whether this node has given up a store of limits for a while: 1 if it has.")
            .labelNames("store")
            .register(registry);
    // So that they are there before anything is wrong.
    for (String store : List.of("postgresql", "redis")) {
      storeErrors.initLabelValues(store);
      storesGone.initLabelValues(store);
    }
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

  @Override
  public void storeFailed(String store, StoreException failure) {
    storeErrors.labelValues(store).inc();
    log.debug("The store {} did not answer", store, failure);
  }

  /** Several things of one store may give it up, each for itself: the last one is shown. */
  @Override
  public void breakerChanged(String store, Breaker.State state) {
    switch (state) {
      case OPEN -> {
        storesGone.labelValues(store).set(1);
        log.warn("The store {} is gone; rules say what happens without it", store);
      }
      case HALF_OPEN -> log.debug("Looking whether the store {} is back", store);
      case CLOSED -> {
        storesGone.labelValues(store).set(0);
        log.info("The store {} is back", store);
      }
    }
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
