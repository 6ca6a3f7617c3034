package dev.weir.node.stores;

import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Settings;
import dev.weir.store.redis.RedisSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Reads the settings of Redis. Messages do not repeat the address, which may contain a password.
 */
public final class RedisAddress {
  private RedisAddress() {}

  /** Returns the settings of Redis; empty if there is none. */
  public static Optional<RedisSettings> of(Settings settings) {
    return settings.optional(StoreSetting.REDIS_URI).map(uri -> of(settings, uri));
  }

  private static RedisSettings of(Settings settings, String uri) {
    RedisSettings redis;
    try {
      redis = RedisSettings.of(uri);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          StoreSetting.REDIS_URI.key(),
          "cannot be read: it must be redis://host:port, redis-sentinel://… or redis-cluster://…");
    }
    Duration timeout =
        settings.duration(
            StoreSetting.REDIS_TIMEOUT, Duration.ofMillis(100), Duration.ofMinutes(1));
    redis = redis.withCommandTimeout(timeout);
    try {
      return settings
          .optional(StoreSetting.REDIS_TRUST)
          .map(Path::of)
          .map(redis::withTrust)
          .orElse(redis);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          StoreSetting.REDIS_TRUST.key(), "must be a PEM file of certificates");
    }
  }
}
