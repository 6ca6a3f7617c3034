package dev.weir.server.wiring;

import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.AcquireRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What limits need of the settings. */
record LimitSettings(
    Store store,
    boolean isFallbackUsed,
    String redisUri,
    Optional<Path> redisTrust,
    int nodes,
    long mostKeys,
    Duration requestTtl,
    Duration cacheTtl) {

  /** Where limits are counted. */
  enum Store {
    MEMORY,
    POSTGRESQL,
    REDIS
  }

  static LimitSettings of(Settings settings) {
    String store = settings.choice(Setting.LIMITS_STORE, List.of("memory", "postgresql", "redis"));
    String fallback = settings.choice(Setting.LIMITS_FALLBACK, List.of("postgresql", "none"));
    LimitSettings limits =
        new LimitSettings(
            switch (store) {
              case "postgresql" -> Store.POSTGRESQL;
              case "redis" -> Store.REDIS;
              default -> Store.MEMORY;
            },
            fallback.equals("postgresql"),
            settings.text(Setting.REDIS_URI),
            settings.optional(Setting.REDIS_TRUST).map(Path::of),
            settings.number(Setting.LIMITS_NODES, 1, Limit.MOST_NODES),
            settings.number(Setting.LIMITS_MOST_KEYS, 1_000, Integer.MAX_VALUE),
            settings.duration(
                Setting.LIMITS_REQUEST_TTL, Duration.ofMillis(1), AcquireRequest.LONGEST_TTL),
            settings.duration(
                Setting.LIMITS_CACHE_TTL, Duration.ofMillis(100), Duration.ofDays(1)));
    limits.check(settings.choice(Setting.SLOTS_STORE, List.of("postgres", "memory")));
    return limits;
  }

  /** Whether it waits for somebody to decide. */
  boolean isBlocking() {
    return store != Store.MEMORY;
  }

  /** Whether PostgreSQL decides, first or last. */
  boolean needsDatabase() {
    return store == Store.POSTGRESQL || (store == Store.REDIS && isFallbackUsed);
  }

  private void check(String slotStore) {
    if (store == Store.REDIS && redisUri.isEmpty()) {
      throw new InvalidSettingException(
          Setting.REDIS_URI.key(), "is needed where weir.limits.store is redis");
    }
    if (store == Store.REDIS) {
      LimitStores.redis(this);
    }
    if (needsDatabase() && slotStore.equals("memory")) {
      Setting setting = store == Store.REDIS ? Setting.LIMITS_FALLBACK : Setting.LIMITS_STORE;
      throw new InvalidSettingException(
          setting.key(), "cannot be postgresql where weir.slots.store is memory");
    }
  }

  /** An address may hold a password. */
  @Override
  public String toString() {
    return "LimitSettings[store=" + store + "]";
  }
}
