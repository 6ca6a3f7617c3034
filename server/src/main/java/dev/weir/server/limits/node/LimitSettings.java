package dev.weir.server.limits.node;

import dev.weir.limits.Limit;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.CountingStore;
import dev.weir.node.stores.DatabaseSettings;
import dev.weir.node.stores.RedisAddress;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.stores.SurrealDbAddress;
import dev.weir.store.redis.RedisSettings;
import dev.weir.store.surrealdb.SurrealDbSettings;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The settings of limits. */
public record LimitSettings(
    Store store,
    boolean isFallbackUsed,
    Optional<RedisSettings> redis,
    Optional<SurrealDbSettings> surrealdb,
    int nodes,
    long maxKeys,
    int maxLeases,
    Duration cacheTtl) {

  private static final String IN_ORACLE =
      "limits are counted in memory, Redis or SurrealDB there, by weir.limits.store=memory, redis"
          + " or surrealdb and weir.limits.fallback=none";

  private static final String NOT_IN_ORACLE = "cannot be oracle: " + IN_ORACLE;

  private static final String NOT_BESIDE_ORACLE =
      "cannot be postgresql where weir.db.url is of Oracle: " + IN_ORACLE;

  /** Where limits are counted. */
  public enum Store {
    MEMORY,
    POSTGRESQL,
    REDIS,
    SURREALDB
  }

  public static LimitSettings of(Settings settings) {
    DatabaseSettings.Kind database = DatabaseSettings.kind(settings);
    for (Setting setting : List.of(LimitSetting.STORE, LimitSetting.FALLBACK)) {
      if (settings.text(setting).equals("oracle")) {
        throw new InvalidSettingException(setting.key(), NOT_IN_ORACLE);
      }
    }
    String store =
        settings.choice(LimitSetting.STORE, List.of("memory", "postgresql", "redis", "surrealdb"));
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
            settings.number(LimitSetting.NODES, 1, Limit.MAX_NODES),
            maxKeys(settings),
            maxLeases(settings),
            settings.cacheTtl());
    limits.check(database);
    return limits;
  }

  /** Never more than fit in the heap, so that made-up keys cannot exhaust it. */
  private static long maxKeys(Settings settings) {
    long fitting = MemoryLimitStore.DEFAULT_MAX_KEYS;
    return settings.optional(LimitSetting.MAX_KEYS).isEmpty()
        ? fitting
        : Math.min(fitting, settings.number(LimitSetting.MAX_KEYS, 1_000, Integer.MAX_VALUE));
  }

  /** As the keys: clients that never release must not exhaust the heap. */
  private static int maxLeases(Settings settings) {
    int fitting = MemoryLeaseStore.DEFAULT_MAX_LEASES;
    return settings.optional(LimitSetting.MAX_LEASES).isEmpty()
        ? fitting
        : Math.min(fitting, settings.number(LimitSetting.MAX_LEASES, 1_000, Integer.MAX_VALUE));
  }

  private static boolean isFallbackUsed(Settings settings, DatabaseSettings.Kind database) {
    boolean isOracle = database == DatabaseSettings.Kind.ORACLE;
    if (settings.optional(LimitSetting.FALLBACK).isEmpty()) {
      return !isOracle;
    }
    boolean isUsed =
        settings.choice(LimitSetting.FALLBACK, List.of("postgresql", "none")).equals("postgresql");
    if (isUsed && isOracle) {
      // Also beside a store that has no fallback: what was asked for would be missing in an outage.
      throw new InvalidSettingException(LimitSetting.FALLBACK.key(), NOT_BESIDE_ORACLE);
    }
    return isUsed;
  }

  public CountingStore countingStore() {
    return new CountingStore(
        store.name().toLowerCase(Locale.ROOT),
        store != Store.MEMORY,
        store == Store.REDIS || store == Store.SURREALDB);
  }

  /** Returns true if PostgreSQL decides, as the store or as the fallback. */
  public boolean needsDatabase() {
    return store == Store.POSTGRESQL || (store == Store.REDIS && isFallbackUsed);
  }

  private static RedisSettings requiredRedis(Settings settings) {
    return RedisAddress.of(settings)
        .orElseThrow(
            () ->
                new InvalidSettingException(
                    StoreSetting.REDIS_URI.key(), "is needed where weir.limits.store is redis"));
  }

  private void check(DatabaseSettings.Kind database) {
    if (needsDatabase() && database != DatabaseSettings.Kind.POSTGRESQL) {
      Setting setting = store == Store.REDIS ? LimitSetting.FALLBACK : LimitSetting.STORE;
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
