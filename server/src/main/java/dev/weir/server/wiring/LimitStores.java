package dev.weir.server.wiring;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.Breaker;
import dev.weir.engine.limits.Failover;
import dev.weir.engine.limits.FallbackLog;
import dev.weir.engine.limits.LeaseFailover;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.LimitSweep;
import dev.weir.engine.limits.MemoryLeaseStore;
import dev.weir.engine.limits.MemoryLimitStore;
import dev.weir.engine.limits.OpenWhenFull;
import dev.weir.engine.limits.StoreHistory;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.store.jdbc.JdbcFallbackLog;
import dev.weir.store.jdbc.JdbcLeaseStore;
import dev.weir.store.jdbc.JdbcLimitStore;
import dev.weir.store.jdbc.JdbcLimitUpkeep;
import dev.weir.store.jdbc.JdbcStoreHistory;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.redis.Redis;
import dev.weir.store.redis.RedisLeaseStore;
import dev.weir.store.redis.RedisLimitStore;
import dev.weir.store.redis.RedisSettings;
import java.time.Duration;
import java.util.Deque;
import java.util.Optional;

/**
 * Who counts what was used of limits, and who goes on when they are gone.
 *
 * @param leases nobody gets one while their store is gone
 * @param openLeases the same, but everybody gets one then
 */
record LimitStores(LimitStore<Limit> limits, LeaseStore leases, LeaseStore openLeases) {
  private static final Duration BETWEEN_SWEEPS = Duration.ofSeconds(30);

  /** How late, at most, a loss of data is noticed while nobody asks. */
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private static final int STEPS_OF_A_SWEEP = 100;

  /** As metrics call them. */
  private static final String POSTGRESQL = "postgresql";

  private static final String REDIS = "redis";

  /**
   * Opens the stores that the settings name.
   *
   * @param database there is one, if the settings need it
   * @param started gets what has to be closed
   */
  static LimitStores open(
      LimitSettings settings,
      Optional<HikariDataSource> database,
      LimitMetrics metrics,
      Deque<AutoCloseable> started) {
    LimitStores stores =
        switch (settings.store()) {
          case MEMORY -> inMemory(settings, metrics);
          case POSTGRESQL -> onPostgres(settings, database.orElseThrow(), metrics, started);
          case REDIS -> onRedis(settings, database, metrics, started);
        };
    started.push(stores.limits());
    started.push(stores.leases());
    return stores;
  }

  private static LimitStores inMemory(LimitSettings settings, LimitMetrics metrics) {
    MemoryLimitStore memory = new MemoryLimitStore(settings.mostKeys());
    metrics.keysInMemory(memory::keys);
    LeaseStore leases = new MemoryLeaseStore();
    return new LimitStores(new OpenWhenFull(memory), leases, leases);
  }

  private static LimitStores onPostgres(
      LimitSettings settings,
      HikariDataSource database,
      LimitMetrics metrics,
      Deque<AutoCloseable> started) {
    sweep(database, started);
    return goingOn(
        settings,
        metrics,
        POSTGRESQL,
        new JdbcLimitStore(database, metrics.batchesOf(POSTGRESQL)),
        new JdbcLeaseStore(database),
        Optional.empty(),
        FallbackLog.NONE);
  }

  /** A Redis may lose its counts; whether it was used before is remembered in the database. */
  private static LimitStores onRedis(
      LimitSettings settings,
      Optional<HikariDataSource> database,
      LimitMetrics metrics,
      Deque<AutoCloseable> started) {
    Redis redis =
        Redis.open(
            redis(settings),
            database.<StoreHistory>map(JdbcStoreHistory::new).orElse(StoreHistory.NONE));
    started.push(redis);
    started.push(Node.upkeep("watch for losses of Redis", redis::look, BETWEEN_LOOKS));
    started.push(Node.upkeep("check of Redis' memory", new EvictionCheck(redis), BETWEEN_SWEEPS));
    Optional<HikariDataSource> next = database.filter(any -> settings.isFallbackUsed());
    next.ifPresent(pool -> sweep(pool, started));
    return goingOn(
        settings,
        metrics,
        REDIS,
        new RedisLimitStore(redis, metrics.batchesOf(REDIS)),
        new RedisLeaseStore(redis),
        next.map(pool -> new JdbcLimitStore(pool, metrics.batchesOf(POSTGRESQL))),
        next.<FallbackLog>map(pool -> new JdbcFallbackLog(pool, redis.name()))
            .orElse(FallbackLog.NONE));
  }

  /** An address may hold a password, so it is not repeated. */
  static RedisSettings redis(LimitSettings settings) {
    RedisSettings redis;
    try {
      redis = RedisSettings.of(settings.redisUri());
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          Setting.REDIS_URI.key(),
          "cannot be read: it must be redis://host:port, redis-sentinel://… or redis-cluster://…");
    }
    try {
      return settings.redisTrust().map(redis::withTrust).orElse(redis);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          Setting.REDIS_TRUST.key(), "must be a PEM file of certificates");
    }
  }

  private static void sweep(HikariDataSource database, Deque<AutoCloseable> started) {
    LimitSweep sweep =
        new LimitSweep(new JdbcLimitUpkeep(database, StoreClock.OF_THE_DATABASE), STEPS_OF_A_SWEEP);
    started.push(Node.upkeep("sweep of limits", sweep, BETWEEN_SWEEPS));
  }

  private static LimitStores goingOn(
      LimitSettings settings,
      LimitMetrics metrics,
      String name,
      LimitStore<Limit> store,
      LeaseStore leases,
      Optional<LimitStore<Limit>> next,
      FallbackLog log) {
    return new LimitStores(
        new Failover(
            new Failover.Parts(
                name, store, next, settings.nodes(), settings.mostKeys(), Breaker.Settings.DEFAULT),
            metrics,
            log),
        leaseFailover(name, leases, LeaseFailover.OnFailure.CLOSED, metrics),
        leaseFailover(name, leases, LeaseFailover.OnFailure.OPEN, metrics));
  }

  private static LeaseStore leaseFailover(
      String name, LeaseStore leases, LeaseFailover.OnFailure onFailure, LimitMetrics metrics) {
    return new LeaseFailover(name, leases, onFailure, Breaker.Settings.DEFAULT, metrics);
  }
}
