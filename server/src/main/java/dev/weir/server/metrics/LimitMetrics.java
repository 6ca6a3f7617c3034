package dev.weir.server.metrics;

import dev.weir.StoreException;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LimitObserver;
import dev.weir.rules.RuleCounters;
import dev.weir.rules.RuleObserver;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metrics of limits and rules; also logs when a store becomes unavailable or available again. The
 * number of label values is bounded: up to {@link #MAX_RULES} existing rules have their own label,
 * the others share one. The series of a removed rule are removed, which frees its label.
 */
public final class LimitMetrics implements LimitObserver, RuleObserver {
  /** Max rules with their own label; of the existing rules, those created first. */
  static final int MAX_RULES = 100;

  static final String OTHER_RULES = "other";

  private static final Logger log = LoggerFactory.getLogger(LimitMetrics.class);

  private final PrometheusRegistry registry;
  private final Counter decisions;
  private final Counter storeErrors;
  private final Gauge storesGone;
  private final Gauge waiting;
  private final Histogram batchSize;
  private final Map<String, DecisionCounters> rules = new HashMap<>();
  private final Map<AcquireResult.Mode, CounterDataPoint> modes =
      new EnumMap<>(AcquireResult.Mode.class);
  private final DecisionCounters otherRules;
  private final DecisionCounters buckets;
  private final CounterDataPoint leasesHeld;
  private final CounterDataPoint leasesRefused;
  private final CounterDataPoint leasesGone;
  private final CounterDataPoint leasesUnavailable;
  private final CounterDataPoint leasesUnchecked;
  private final RefusedChecks refusedChecks = new RefusedChecks();
  private final Latencies checkTimes = new Latencies();

  private final StoreOutages outages = new StoreOutages();

  /** What removed rules decided. */
  private final DecisionCounts ofRemovedRules = new DecisionCounts();

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
    batchSize =
        Histogram.builder()
            .name("rate_limiter_limit_batch_size")
            .help("Requests that share one call of a store of limits.")
            .labelNames("store")
            .classicOnly()
            .classicUpperBounds(1, 2, 5, 10, 20, 50, 100, 200, 500)
            .register(registry);
    // Registers the series before the first error.
    for (String store : List.of("postgresql", "oracle", "redis", "surrealdb")) {
      batchSize.initLabelValues(store);
      storeErrors.initLabelValues(store);
      storesGone.initLabelValues(store);
    }
    decisions =
        Counter.builder()
            .name("rate_limiter_decisions")
            .help("Decisions about requests, for each rule that was checked.")
            .labelNames("rule", "outcome")
            .register(registry);
    otherRules = counts(OTHER_RULES);
    waiting =
        Gauge.builder()
            .name("rate_limiter_queue_waiting")
            .help("Requests that wait in the queues of rules on this node.")
            .register(registry);
    Counter byMode =
        Counter.builder()
            .name("rate_limiter_decision_mode")
            .help("Requests by the mode of their decision.")
            .labelNames("mode")
            .register(registry);
    for (AcquireResult.Mode mode : AcquireResult.Mode.values()) {
      modes.put(mode, byMode.labelValues(lower(mode)));
    }
    Counter ofBuckets =
        Counter.builder()
            .name("rate_limiter_bucket_decisions")
            .help("Decisions about tokens of resources.")
            .labelNames("outcome")
            .register(registry);
    buckets =
        new DecisionCounters(
            Map.of(
                RuleCounters.Kind.ALLOWED,
                ofBuckets.labelValues("allowed"),
                RuleCounters.Kind.REFUSED,
                ofBuckets.labelValues("refused"),
                RuleCounters.Kind.REPLAYED,
                ofBuckets.labelValues("replayed")),
            refusedChecks);
    Counter leases =
        Counter.builder()
            .name("rate_limiter_lease_decisions")
            .help(
                "Decisions about leases: held, refused, gone; unavailable or unchecked without"
                    + " their store.")
            .labelNames("outcome")
            .register(registry);
    leasesHeld = leases.labelValues("held");
    leasesRefused = leases.labelValues("refused");
    leasesGone = leases.labelValues("gone");
    leasesUnavailable = leases.labelValues("unavailable");
    leasesUnchecked = leases.labelValues("unchecked");
  }

  /** Returns a consumer that records how many requests share one call to a store. */
  public IntConsumer batchesOf(String store) {
    DistributionDataPoint sizes = batchSize.labelValues(store);
    return sizes::observe;
  }

  /** Registers a gauge of the keys that are counted in the memory of this node. */
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
    outages.failed(store, failure);
  }

  /**
   * Records the state of a circuit breaker. Several components of one store can each have a
   * breaker: the last change is shown.
   */
  @Override
  public void breakerChanged(String store, CircuitBreaker.State state) {
    switch (state) {
      case OPEN -> {
        storesGone.labelValues(store).set(1);
        outages.begin(store);
      }
      case HALF_OPEN -> log.debug("Looking whether the store {} is back", store);
      case CLOSED -> {
        storesGone.labelValues(store).set(0);
        outages.end(store);
      }
    }
  }

  @Override
  public synchronized void rulesKnown(Set<String> names) {
    rules
        .entrySet()
        .removeIf(
            each -> {
              String rule = each.getKey();
              boolean isGone = !names.contains(rule);
              if (isGone) {
                ofRemovedRules.add(each.getValue().read());
                for (RuleCounters.Kind outcome : RuleCounters.Kind.values()) {
                  decisions.remove(rule, lower(outcome));
                }
              }
              return isGone;
            });
  }

  @Override
  public synchronized RuleCounters counters(String rule) {
    if (rule.equals(OTHER_RULES)) {
      return otherRules;
    }
    return rules.containsKey(rule) || rules.size() < MAX_RULES
        ? rules.computeIfAbsent(rule, this::counts)
        : otherRules;
  }

  private DecisionCounters counts(String label) {
    Map<RuleCounters.Kind, CounterDataPoint> counts = new EnumMap<>(RuleCounters.Kind.class);
    for (RuleCounters.Kind outcome : RuleCounters.Kind.values()) {
      counts.put(outcome, decisions.labelValues(label, lower(outcome)));
    }
    return new DecisionCounters(counts, refusedChecks);
  }

  @Override
  public void waiting(int more) {
    waiting.inc(more);
  }

  /** Returns the counters of decisions about tokens of resources. */
  public RuleCounters buckets() {
    return buckets;
  }

  @Override
  public void decided(AcquireResult.Mode mode) {
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
      case LeaseDecision.Unavailable unavailable -> leasesUnavailable.inc();
      case LeaseDecision.Unchecked unchecked -> leasesUnchecked.inc();
    }
  }

  /** Returns the decisions of each rule that has its own label, and of all others together. */
  public synchronized RuleCounts byRule() {
    Map<String, DecisionCounts> own = new HashMap<>();
    rules.forEach((rule, counters) -> own.put(rule, counters.read()));
    return new RuleCounts(own, otherRules.read());
  }

  /** Returns the decisions of all rules, including removed ones. */
  public synchronized DecisionCounts ofRules() {
    DecisionCounts sums = new DecisionCounts().add(ofRemovedRules).add(otherRules.read());
    rules.values().forEach(counters -> sums.add(counters.read()));
    return sums;
  }

  /** Returns the decisions about tokens and leases of resources. */
  public DecisionCounts ofResources() {
    return buckets
        .read()
        .add(RuleCounters.Kind.ALLOWED, leasesHeld.getLongValue() + leasesUnchecked.getLongValue())
        .add(
            RuleCounters.Kind.REFUSED,
            leasesRefused.getLongValue() + leasesUnavailable.getLongValue());
  }

  /** Returns the number of requests that were decided in a mode. */
  public long decidedIn(AcquireResult.Mode mode) {
    CounterDataPoint count = modes.get(mode);
    return count == null ? 0 : count.getLongValue();
  }

  /** Returns the number of requests that wait in the queues of rules on this node. */
  public long waiting() {
    return (long) waiting.get();
  }

  /** Returns the stores of limits that this node has given up for a while. */
  public Set<String> goneStores() {
    return outages.causes().keySet();
  }

  /** Returns the stores of limits that this node has given up for a while, and why. */
  public StoreOutages outages() {
    return outages;
  }

  /** Returns a sample of the checks that were refused. */
  public RefusedChecks refusedChecks() {
    return refusedChecks;
  }

  /** Returns how long checks by name take. */
  public Latencies checkTimes() {
    return checkTimes;
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
