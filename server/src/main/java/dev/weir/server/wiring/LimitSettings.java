package dev.weir.server.wiring;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Limit;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.store.redis.RedisSettings;
import dev.weir.store.surrealdb.SurrealDbSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The settings of limits. */
record LimitSettings(
    Store store,
    boolean isFallbackUsed,
    Optional<RedisSettings> redis,
    Optional<SurrealDbSettings> surrealdb,
    int nodes,
    long maxKeys,
    Duration requestTtl,
    Duration cacheTtl) {

  private static final String IN_ORACLE =
      "limits are counted in memory, Redis or SurrealDB there, by weir.limits.store=memory, redis"
          + " or surrealdb and weir.limits.fallback=none";

  private static final String NOT_IN_ORACLE = "cannot be oracle: " + IN_ORACLE;

  private static final String NOT_BESIDE_ORACLE =
      "cannot be postgresql where weir.db.url is of Oracle: " + IN_ORACLE;

  /** Where limits are counted. */
  enum Store {
    MEMORY,
    POSTGRESQL,
    REDIS,
    SURREALDB
  }

  static LimitSettings of(Settings settings) {
    DatabaseSettings.Kind database = DatabaseSettings.kind(settings);
    for (Setting setting : List.of(Setting.LIMITS_STORE, Setting.LIMITS_FALLBACK)) {
      if (settings.text(setting).equals("oracle")) {
        throw new InvalidSettingException(setting.key(), NOT_IN_ORACLE);
      }
    }
    String store =
        settings.choice(
            Setting.LIMITS_STORE, List.of("memory", "postgresql", "redis", "surrealdb"));
    LimitSettings limits =
        new LimitSettings(
            switch (store) {
              case "postgresql" -> Store.POSTGRESQL;
              case "redis" -> Store.REDIS;
              case "surrealdb" -> Store.SURREALDB;
              default -> Store.MEMORY;
            },
            isFallbackUsed(settings, database),
            store.equals("redis") ? Optional.of(requiredRedis(settings)) : Optional.empty(),
            store.equals("surrealdb")
                ? Optional.of(SurrealDbAddress.of(settings))
                : Optional.empty(),
            settings.number(Setting.LIMITS_NODES, 1, Limit.MAX_NODES),
            maxKeys(settings),
            settings.duration(
                Setting.LIMITS_REQUEST_TTL, Duration.ofMillis(1), AcquireRequest.MAX_TTL),
            settings.duration(
                Setting.LIMITS_CACHE_TTL, Duration.ofMillis(100), Duration.ofDays(1)));
    limits.check(database);
    return limits;
  }

  /** Never more than fit in the heap, so that made-up keys cannot exhaust it. */
  private static long maxKeys(Settings settings) {
    long fitting = MemoryLimitStore.DEFAULT_MAX_KEYS;
    return settings.optional(Setting.LIMITS_MAX_KEYS).isEmpty()
        ? fitting
        : Math.min(fitting, settings.number(Setting.LIMITS_MAX_KEYS, 1_000, Integer.MAX_VALUE));
  }

  private static boolean isFallbackUsed(Settings settings, DatabaseSettings.Kind database) {
    boolean isOracle = database == DatabaseSettings.Kind.ORACLE;
    if (settings.optional(Setting.LIMITS_FALLBACK).isEmpty()) {
      return !isOracle;
    }
    boolean isUsed =
        settings
            .choice(Setting.LIMITS_FALLBACK, List.of("postgresql", "none"))
            .equals("postgresql");
    if (isUsed && isOracle) {
      // Also beside a store that has no fallback: what was asked for would be missing in an outage.
      throw new InvalidSettingException(Setting.LIMITS_FALLBACK.key(), NOT_BESIDE_ORACLE);
    }
    return isUsed;
  }

  /** Returns true if a decision waits for an external store. */
  boolean isBlocking() {
    return store != Store.MEMORY;
  }

  /** Returns true if limits are counted in a store that the node does not bring along. */
  boolean isElsewhere() {
    return store == Store.REDIS || store == Store.SURREALDB;
  }

  /** Returns true if PostgreSQL decides, as the store or as the fallback. */
  boolean needsDatabase() {
    return store == Store.POSTGRESQL || (store == Store.REDIS && isFallbackUsed);
  }

  private static RedisSettings requiredRedis(Settings settings) {
    return redis(settings)
        .orElseThrow(
            () ->
                new InvalidSettingException(
                    Setting.REDIS_URI.key(), "is needed where weir.limits.store is redis"));
  }

  /**
   * Returns the settings of Redis; empty if there is none. Messages do not repeat the address,
   * which may contain a password.
   */
  static Optional<RedisSettings> redis(Settings settings) {
    return settings.optional(Setting.REDIS_URI).map(uri -> redis(settings, uri));
  }

  private static RedisSettings redis(Settings settings, String uri) {
    RedisSettings redis;
    try {
      redis = RedisSettings.of(uri);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          Setting.REDIS_URI.key(),
          "cannot be read: it must be redis://host:port, redis-sentinel://… or redis-cluster://…");
    }
    Duration timeout =
        settings.duration(Setting.REDIS_TIMEOUT, Duration.ofMillis(100), Duration.ofMinutes(1));
    redis = redis.withCommandTimeout(timeout);
    try {
      return settings
          .optional(Setting.REDIS_TRUST)
          .map(Path::of)
          .map(redis::withTrust)
          .orElse(redis);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          Setting.REDIS_TRUST.key(), "must be a PEM file of certificates");
    }
  }

  private void check(DatabaseSettings.Kind database) {
    if (needsDatabase() && database != DatabaseSettings.Kind.POSTGRESQL) {
      Setting setting = store == Store.REDIS ? Setting.LIMITS_FALLBACK : Setting.LIMITS_STORE;
      throw new InvalidSettingException(
          setting.key(),
          switch (database) {
            case MEMORY -> "cannot be postgresql where weir.slots.store is memory";
            case ORACLE -> NOT_BESIDE_ORACLE;
            case POSTGRESQL -> throw new IllegalStateException("PostgreSQL counts limits");
          });
    }
  }

  /** Returns only the store, because the others may contain a password. */
  @Override
  public String toString() {
    return "LimitSettings[store=" + store + "]";
  }
}
