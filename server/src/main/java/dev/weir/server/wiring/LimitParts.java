package dev.weir.server.wiring;

import dev.weir.limits.Concurrency;
import dev.weir.limits.Leases;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Limiter;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.internal.CachedDefinitions;
import dev.weir.limits.internal.Definitions;
import dev.weir.limits.internal.MemoryDefinitions;
import dev.weir.limits.internal.Settlements;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.Rule;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.Rules;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.rules.CheckSettings;
import dev.weir.server.rules.RuleBroadcast;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.ChangeListener;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.limits.internal.JdbcDefinitions;
import dev.weir.store.jdbc.rules.internal.JdbcRules;
import io.micronaut.core.type.Argument;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Limits and rules on their stores, independent of the kind of store.
 *
 * @param rules the store of rules
 * @param index the rules as cached on this node
 * @param evaluator evaluates the rules
 */
record LimitParts(
    LimitStores stores,
    Rules rules,
    RuleIndex index,
    RuleEvaluator evaluator,
    RuleBroadcast broadcast,
    Settlements settlements,
    Resources resources,
    CheckSettings checks,
    LimitMetrics metrics) {

  private static final Duration BETWEEN_SETTLEMENTS = Duration.ofSeconds(1);

  private static final int MAX_RESOURCES_IN_MEMORY = 100_000;

  /** The limits that are defined per resource. */
  record Resources(
      CachedDefinitions<TokenBucket> buckets, CachedDefinitions<Concurrency> concurrency) {}

  /**
   * Opens the stores of limits.
   *
   * @param database stores rules and resources; if empty, they are kept in memory
   * @param open receives each part as soon as it is open
   */
  static LimitParts open(
      LimitSettings settings,
      Optional<Database> database,
      PrometheusRegistry registry,
      OpenParts open) {
    LimitMetrics metrics = new LimitMetrics(registry);
    Rules rules =
        database
            .<Rules>map(used -> new JdbcRules(used.dialect(), used.pool(), StoreClock.DATABASE))
            .orElseGet(() -> new MemoryRules(InstantSource.system()));
    RuleIndex index = new RuleIndex(rules, metrics);
    LimitStores stores = LimitStores.open(settings, database, metrics, open);
    requireCounted(rules, stores.limits());
    Settlements settlements = settlements(settings, stores.limits());
    index.onLimitChange(settlements::owe);
    open.add(
        Upkeep.start("settling of changed limits", settlements::settleOwed, BETWEEN_SETTLEMENTS));
    return new LimitParts(
        stores,
        rules,
        index,
        stores.evaluator(index, metrics),
        () -> database.ifPresent(used -> Channel.RULE.flushEverywhere(used.dialect(), used.pool())),
        settlements,
        resources(settings, database),
        new CheckSettings(settings.requestTtl(), settings.isBlocking()),
        metrics);
  }

  /**
   * Returns the list of changed limits. Nodes use a former definition of a resource for the time of
   * the cache, and a little longer in a request that has begun.
   */
  private static Settlements settlements(LimitSettings settings, LimitStore limits) {
    return new Settlements(
        limits, settings.cacheTtl().plus(BETWEEN_SETTLEMENTS), Upkeep.LOG, System::nanoTime);
  }

  /** Refuses to start with rules that the store does not count and would have to ignore. */
  private static void requireCounted(Rules rules, LimitStore limits) {
    List<String> others =
        rules.all().stream()
            .filter(rule -> !rule.spec().isCountedBy(limits))
            .map(Rule::name)
            .toList();
    if (!others.isEmpty()) {
      throw new InvalidSettingException(
          Setting.LIMITS_STORE.key(),
          "names a store that does not count these rules, because of their algorithm: "
              + String.join(", ", others));
    }
  }

  private static Resources resources(LimitSettings settings, Optional<Database> database) {
    StoreClock clock = StoreClock.DATABASE;
    return new Resources(
        cached(
            settings,
            database.map(used -> JdbcDefinitions.buckets(used.dialect(), used.pool(), clock))),
        cached(
            settings,
            database.map(used -> JdbcDefinitions.concurrency(used.dialect(), used.pool(), clock))));
  }

  private static <L> CachedDefinitions<L> cached(
      LimitSettings settings, Optional<? extends Definitions<L>> stored) {
    Definitions<L> definitions =
        stored.isPresent()
            ? stored.get()
            : new MemoryDefinitions<>(InstantSource.system(), MAX_RESOURCES_IN_MEMORY);
    return new CachedDefinitions<>(definitions, settings.cacheTtl(), System::nanoTime);
  }

  /**
   * Returns why nothing can be decided; empty if something can: without the store of limits, only
   * rules that are not closed can.
   */
  String reasonAgainst() {
    return index.decidesWithoutStore()
        ? ""
        : metrics.outages().warnings().stream().findFirst().orElse("");
  }

  /** Returns the listeners for changes that other nodes make. */
  Map<Channel, ChangeListener.Listener> hearers() {
    return Map.of(
        Channel.RULE, hearer(name -> index.refresh(), index::refresh),
        Channel.BUCKET, hearer(resources.buckets()::forget, resources.buckets()::flush),
        Channel.CONCURRENCY,
            hearer(resources.concurrency()::forget, resources.concurrency()::flush));
  }

  /** Returns a listener that calls the two functions. */
  static ChangeListener.Listener hearer(Consumer<String> changed, Runnable allChanged) {
    return new ChangeListener.Listener() {
      @Override
      public void changed(String name) {
        changed.accept(name);
      }

      @Override
      public void allChanged() {
        allChanged.run();
      }
    };
  }

  /** Registers the parts that the endpoints of limits and rules inject. */
  @SuppressWarnings({"rawtypes", "unchecked"}) // Argument has only the raw class.
  void addTo(Beans beans) {
    beans
        .add(stores.limits())
        .add(stores.leases())
        .add(Limiter.on(stores.limits()))
        .add(Leases.on(stores.leases()))
        .add(rules)
        .add(index)
        .add(evaluator)
        .add(broadcast)
        .add(settlements)
        .add(checks)
        .add(metrics)
        .add((Argument) Argument.of(Definitions.class, TokenBucket.class), resources.buckets())
        .add((Argument) Argument.of(Definitions.class, Concurrency.class), resources.concurrency());
  }
}
