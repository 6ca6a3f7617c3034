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

  /** Where limits are counted. */
  public enum Store {
    MEMORY,
    POSTGRESQL,
    ORACLE,
    REDIS,
    SURREALDB;

    /** Returns the name in settings and metrics. */
    String id() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public static LimitSettings of(Settings settings) {
    DatabaseSettings.Kind database = DatabaseSettings.kind(settings);
    Store store =
        Store.valueOf(
            settings
                .choice(
                    LimitSetting.STORE,
                    List.of("memory", "postgresql", "oracle", "redis", "surrealdb"))
                .toUpperCase(Locale.ROOT));
    requireDatabase(LimitSetting.STORE, store.id(), database);
    return new LimitSettings(
        store,
        isFallbackUsed(settings, store, database),
        store == Store.REDIS ? Optional.of(requiredRedis(settings)) : Optional.empty(),
        store == Store.SURREALDB ? Optional.of(SurrealDbAddress.of(settings)) : Optional.empty(),
        settings.number(LimitSetting.NODES, 1, Limit.MAX_NODES),
        maxKeys(settings),
        maxLeases(settings),
        settings.cacheTtl());
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

  /**
   * Returns whether the database stands in for Redis. One that is asked for and cannot do it is
   * refused beside any store: what was asked for would be missing in an outage.
   */
  private static boolean isFallbackUsed(
      Settings settings, Store store, DatabaseSettings.Kind database) {
    if (settings.optional(LimitSetting.FALLBACK).isEmpty()) {
      if (store == Store.REDIS && database == DatabaseSettings.Kind.MEMORY) {
        throw new InvalidSettingException(
            LimitSetting.FALLBACK.key(), "has to be none where weir.slots.store is memory");
      }
      return true;
    }
    String fallback =
        settings.choice(LimitSetting.FALLBACK, List.of("postgresql", "oracle", "none"));
    requireDatabase(LimitSetting.FALLBACK, fallback, database);
    return !fallback.equals("none");
  }

  /** Refuses a store that is a database, but not that of this node. */
  private static void requireDatabase(
      Setting setting, String store, DatabaseSettings.Kind database) {
    boolean isDatabase = store.equals("postgresql") || store.equals("oracle");
    if (isDatabase && !store.equals(database.name().toLowerCase(Locale.ROOT))) {
      throw new InvalidSettingException(
          setting.key(),
          switch (database) {
            case MEMORY -> "cannot be %s where weir.slots.store is memory".formatted(store);
            case ORACLE -> "cannot be postgresql where weir.db.url is of Oracle: set it to oracle";
            case POSTGRESQL -> "can be oracle only where weir.db.url is jdbc:oracle:…";
          });
    }
  }

  public CountingStore countingStore() {
    return new CountingStore(
        store.id(), store != Store.MEMORY, store == Store.REDIS || store == Store.SURREALDB);
  }

  /** Returns true if the database decides, as the store or as the fallback. */
  public boolean needsDatabase() {
    return switch (store) {
      case POSTGRESQL, ORACLE -> true;
      case REDIS -> isFallbackUsed;
      case MEMORY, SURREALDB -> false;
    };
  }

  private static RedisSettings requiredRedis(Settings settings) {
    return RedisAddress.of(settings)
        .orElseThrow(
            () ->
                new InvalidSettingException(
                    StoreSetting.REDIS_URI.key(), "is needed where weir.limits.store is redis"));
  }

  /** Returns only the store, because the others may contain a password. */
  @Override
  public String toString() {
    return "LimitSettings[store=" + store + "]";
  }
}
