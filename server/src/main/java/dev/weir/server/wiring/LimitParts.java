package dev.weir.server.wiring;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.CachedDefinitions;
import dev.weir.engine.limits.Definitions;
import dev.weir.engine.limits.memory.MemoryDefinitions;
import dev.weir.engine.rules.MemoryRules;
import dev.weir.engine.rules.RuleEvaluator;
import dev.weir.engine.rules.RuleIndex;
import dev.weir.engine.rules.Rules;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.rules.Limits;
import dev.weir.store.jdbc.ChangeListener;
import dev.weir.store.jdbc.Channel;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.limits.JdbcDefinitions;
import dev.weir.store.jdbc.rules.JdbcRules;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What limits need of stores, whichever stores they are.
 *
 * @param isBlocking whether a decision may wait for somebody
 * @param hearers who has to hear of changes that other nodes make
 */
record LimitParts(Limits limits, boolean isBlocking, Map<Channel, ChangeListener.Hearer> hearers) {

  private static final int MOST_RESOURCES_IN_MEMORY = 100_000;

  /**
   * Opens the stores of limits.
   *
   * @param database where rules and resources are defined; in memory without one
   * @param started gets what has to be closed
   */
  static LimitParts open(
      LimitSettings settings,
      Optional<HikariDataSource> database,
      PrometheusRegistry registry,
      Deque<AutoCloseable> started) {
    LimitMetrics metrics = new LimitMetrics(registry);
    Rules rules =
        database
            .<Rules>map(pool -> new JdbcRules(pool, StoreClock.OF_THE_DATABASE))
            .orElseGet(() -> new MemoryRules(InstantSource.system()));
    RuleIndex book = new RuleIndex(rules, metrics);
    CachedDefinitions<TokenBucket> buckets =
        cached(
            settings,
            database
                .<Definitions<TokenBucket>>map(
                    pool -> JdbcDefinitions.buckets(pool, StoreClock.OF_THE_DATABASE))
                .orElseGet(LimitParts::inMemory));
    CachedDefinitions<Concurrency> concurrency =
        cached(
            settings,
            database
                .<Definitions<Concurrency>>map(
                    pool -> JdbcDefinitions.concurrency(pool, StoreClock.OF_THE_DATABASE))
                .orElseGet(LimitParts::inMemory));
    LimitStores stores = LimitStores.open(settings, database, metrics, started);
    return new LimitParts(
        new Limits(
            stores.limits(),
            stores.leases(),
            rules,
            book,
            new RuleEvaluator(
                book,
                new RuleEvaluator.Stores(stores.limits(), stores.leases(), stores.openLeases()),
                metrics),
            () -> database.ifPresent(Channel.RULE::flushEverywhere),
            buckets,
            concurrency,
            settings.requestTtl(),
            settings.isBlocking(),
            metrics),
        settings.isBlocking(),
        Map.of(
            Channel.RULE, hearer(name -> book.refresh(), book::refresh),
            Channel.BUCKET, hearer(buckets::forget, buckets::flush),
            Channel.CONCURRENCY, hearer(concurrency::forget, concurrency::flush)));
  }

  /** A hearer of two functions. */
  static ChangeListener.Hearer hearer(Consumer<String> changed, Runnable allChanged) {
    return new ChangeListener.Hearer() {
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

  private static <L> CachedDefinitions<L> cached(
      LimitSettings settings, Definitions<L> definitions) {
    return new CachedDefinitions<>(definitions, settings.cacheTtl(), System::nanoTime);
  }

  private static <L> Definitions<L> inMemory() {
    return new MemoryDefinitions<>(InstantSource.system(), MOST_RESOURCES_IN_MEMORY);
  }
}
