package dev.weir.server.limits.node;

import dev.weir.limits.Concurrency;
import dev.weir.limits.Leases;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Limiter;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.internal.CachedDefinitions;
import dev.weir.limits.internal.Definitions;
import dev.weir.limits.internal.MemoryDefinitions;
import dev.weir.limits.internal.Settlements;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.lifecycle.Upkeep;
import dev.weir.node.stores.Database;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.limits.internal.JdbcDefinitions;
import io.micronaut.core.type.Argument;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/** Limits on their stores, independent of the kind of store. */
public record OpenLimits(
    LimitStores stores, Settlements settlements, Resources resources, LimitMetrics metrics) {

  private static final Duration BETWEEN_SETTLEMENTS = Duration.ofSeconds(1);

  private static final int MAX_RESOURCES_IN_MEMORY = 100_000;

  /** The limits that are defined per resource. */
  public record Resources(
      CachedDefinitions<TokenBucket> buckets, CachedDefinitions<Concurrency> concurrency) {}

  /**
   * Opens the stores of limits.
   *
   * @param database stores rules and resources; if empty, they are kept in memory
   * @param open receives each part as soon as it is open
   */
  public static OpenLimits open(
      LimitSettings settings,
      Optional<Database> database,
      PrometheusRegistry registry,
      OpenParts open) {
    LimitMetrics metrics = new LimitMetrics(registry);
    LimitStores stores = LimitStores.open(settings, database, metrics, open);
    Settlements settlements = settlements(settings, stores.limits());
    open.add(
        Upkeep.start("settling of changed limits", settlements::settleOwed, BETWEEN_SETTLEMENTS));
    return new OpenLimits(stores, settlements, resources(settings, database), metrics);
  }

  /**
   * Returns the list of changed limits. Nodes use a former definition of a resource for the time of
   * the cache, and a little longer in a request that has begun.
   */
  private static Settlements settlements(LimitSettings settings, LimitStore limits) {
    return new Settlements(
        limits, settings.cacheTtl().plus(BETWEEN_SETTLEMENTS), Upkeep.LOG, System::nanoTime);
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

  /** Registers the parts that the endpoints of limits inject, and what later capabilities use. */
  @SuppressWarnings({"rawtypes", "unchecked"}) // Argument has only the raw class.
  public void addTo(OpeningNode node) {
    node.bean(stores.limits());
    node.bean(stores.leases());
    node.bean(Limiter.on(stores.limits()));
    node.bean(Leases.on(stores.leases()));
    node.bean(settlements);
    node.bean(metrics);
    node.bean((Argument) Argument.of(Definitions.class, TokenBucket.class), resources.buckets());
    node.bean(
        (Argument) Argument.of(Definitions.class, Concurrency.class), resources.concurrency());
    node.share(stores.forRules());
    node.onChange(Channel.BUCKET, resources.buckets()::forget, resources.buckets()::flush);
    node.onChange(
        Channel.CONCURRENCY, resources.concurrency()::forget, resources.concurrency()::flush);
  }
}
