package dev.weir.server.limits.node;

import dev.weir.StoreException;
import dev.weir.limits.Failover;
import dev.weir.limits.FailoverBuilder;
import dev.weir.limits.LeaseFailover;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.LimitStore;
import dev.weir.limits.StoreHistory;
import dev.weir.limits.internal.LimitSweep;
import dev.weir.limits.internal.OpenWhenFull;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.lifecycle.Upkeep;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.stores.Database;
import dev.weir.node.stores.StoreSetting;
import dev.weir.rules.RuleEvaluator;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.limits.JdbcLeaseStore;
import dev.weir.store.jdbc.limits.JdbcLimitStore;
import dev.weir.store.jdbc.limits.internal.JdbcFallbackLog;
import dev.weir.store.jdbc.limits.internal.JdbcLimitUpkeep;
import dev.weir.store.jdbc.limits.internal.JdbcStoreHistory;
import dev.weir.store.redis.Redis;
import dev.weir.store.redis.RedisLeaseStore;
import dev.weir.store.redis.RedisLimitStore;
import dev.weir.store.surrealdb.SurrealDb;
import dev.weir.store.surrealdb.SurrealDbLeaseStore;
import dev.weir.store.surrealdb.SurrealDbLimitStore;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stores that count the use of limits, with their fallbacks.
 *
 * @param leases refuses every lease while the store is unavailable
 * @param openLeases the same store, but grants every lease while it is unavailable
 */
public record LimitStores(LimitStore limits, LeaseStore leases, LeaseStore openLeases) {
  private static final Duration BETWEEN_SWEEPS = Duration.ofSeconds(30);

  /** Max delay until a loss of data or an outage is noticed while there are no requests. */
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private static final int STEPS_OF_A_SWEEP = 100;

  /** The names of the stores in metrics; a database has its own. */
  private static final String REDIS = "redis";

  private static final String SURREALDB = "surrealdb";

  private static final Logger log = LoggerFactory.getLogger(LimitStores.class);

  /**
   * Opens the stores that the settings name.
   *
   * @param database present if the settings need it
   * @param open receives each part as soon as it is open
   */
  public static LimitStores open(
      LimitSettings settings, Optional<Database> database, LimitMetrics metrics, OpenParts open) {
    LimitStores stores =
        switch (settings.store()) {
          case MEMORY -> inMemory(settings, metrics);
          case POSTGRESQL, ORACLE -> onDatabase(settings, database.orElseThrow(), metrics, open);
          case REDIS -> onRedis(settings, database, metrics, open);
          case SURREALDB -> onSurrealdb(settings, database, metrics, open);
        };
    open.add(stores.limits());
    open.add(stores.leases());
    return stores;
  }

  /** Returns the stores as an evaluator of rules uses them. */
  public RuleEvaluator.Stores forRules() {
    return new RuleEvaluator.Stores(limits, leases, openLeases);
  }

  private static LimitStores inMemory(LimitSettings settings, LimitMetrics metrics) {
    MemoryLimitStore memory = new MemoryLimitStore(settings.maxKeys());
    metrics.keysInMemory(memory::keys);
    LeaseStore leases = new MemoryLeaseStore(settings.maxLeases());
    return new LimitStores(new OpenWhenFull(memory), leases, leases);
  }

  private static LimitStores onDatabase(
      LimitSettings settings, Database database, LimitMetrics metrics, OpenParts open) {
    sweep(database, open);
    String name = database.dialect().id();
    return withFailover(
        failover(
                name,
                new JdbcLimitStore(database.pool(), metrics.batchesOf(name)),
                settings,
                metrics)
            .build(),
        name,
        new JdbcLeaseStore(database.pool()),
        metrics);
  }

  /**
   * Opens limits on Redis. It may lose its counts, so the database records whether it was used
   * before.
   */
  private static LimitStores onRedis(
      LimitSettings settings, Optional<Database> database, LimitMetrics metrics, OpenParts open) {
    Redis redis = Redis.open(settings.redis().orElseThrow(), history(database));
    open.add(redis);
    open.add(Upkeep.start("watch for losses of Redis", redis::look, BETWEEN_LOOKS));
    open.add(Upkeep.start("check of Redis' memory", new EvictionCheck(redis), BETWEEN_SWEEPS));
    FailoverBuilder limits =
        failover(REDIS, new RedisLimitStore(redis, metrics.batchesOf(REDIS)), settings, metrics);
    if (settings.isFallbackUsed() && database.isPresent()) {
      Database used = database.orElseThrow();
      sweep(used, open);
      limits
          .fallback(new JdbcLimitStore(used.pool(), metrics.batchesOf(used.dialect().id())))
          .log(new JdbcFallbackLog(used.dialect(), used.pool(), redis.name()));
    }
    Failover failover = limits.build();
    open.add(Upkeep.start("watch for outages of Redis", failover::watch, BETWEEN_LOOKS));
    return withFailover(failover, REDIS, new RedisLeaseStore(redis), metrics);
  }

  /**
   * Opens limits on SurrealDB. A database that comes back empty has lost its counts, so the
   * database of slots records whether it was used before.
   */
  private static LimitStores onSurrealdb(
      LimitSettings settings, Optional<Database> database, LimitMetrics metrics, OpenParts open) {
    SurrealDb surrealdb = SurrealDb.open(settings.surrealdb().orElseThrow(), history(database));
    open.add(surrealdb);
    check(surrealdb, settings.surrealdb().orElseThrow().uri());
    open.add(Upkeep.start("sweep of limits", surrealdb::sweep, BETWEEN_SWEEPS));
    Failover failover =
        failover(
                SURREALDB,
                new SurrealDbLimitStore(surrealdb, metrics.batchesOf(SURREALDB)),
                settings,
                metrics)
            .build();
    open.add(Upkeep.start("watch for outages of SurrealDB", failover::watch, BETWEEN_LOOKS));
    return withFailover(failover, SURREALDB, new SurrealDbLeaseStore(surrealdb), metrics);
  }

  /** Starts without SurrealDB if it is down, but not with one that exceeds limits. */
  private static void check(SurrealDb surrealdb, URI address) {
    try {
      surrealdb.check();
    } catch (StoreException e) {
      log.warn("the check of SurrealDB at {} failed: {}", address, e.getMessage());
      if (surrealdb.isAnomalous()) {
        throw new InvalidSettingException(
            StoreSetting.SURREALDB_URL.key(),
            "names a SurrealDB that hands out the same token twice, as some versions do in memory"
                + " and on SurrealKV: use RocksDB, or set "
                + StoreSetting.SURREALDB_ACCEPT_ANOMALIES.key());
      }
    }
  }

  private static StoreHistory history(Optional<Database> database) {
    return database
        .<StoreHistory>map(used -> new JdbcStoreHistory(used.dialect(), used.pool()))
        .orElse(StoreHistory.NONE);
  }

  private static void sweep(Database database, OpenParts open) {
    JdbcLimitUpkeep upkeep =
        new JdbcLimitUpkeep(database.dialect(), database.pool(), StoreClock.DATABASE);
    open.add(
        Upkeep.start("sweep of limits", new LimitSweep(upkeep, STEPS_OF_A_SWEEP), BETWEEN_SWEEPS));
  }

  private static FailoverBuilder failover(
      String name, LimitStore store, LimitSettings settings, LimitMetrics metrics) {
    return Failover.of(store)
        .named(name)
        .nodes(settings.nodes())
        .maxLocalKeys(settings.maxKeys())
        .observer(metrics);
  }

  private static LimitStores withFailover(
      Failover limits, String name, LeaseStore leases, LimitMetrics metrics) {
    return new LimitStores(
        limits,
        leaseFailover(name, leases, LeaseFailover.OnFailure.CLOSED, metrics),
        leaseFailover(name, leases, LeaseFailover.OnFailure.OPEN, metrics));
  }

  private static LeaseStore leaseFailover(
      String name, LeaseStore leases, LeaseFailover.OnFailure onFailure, LimitMetrics metrics) {
    return LeaseFailover.of(leases).named(name).onFailure(onFailure).observer(metrics).build();
  }
}
