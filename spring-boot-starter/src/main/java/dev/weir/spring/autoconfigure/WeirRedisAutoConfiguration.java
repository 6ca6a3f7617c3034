package dev.weir.spring.autoconfigure;

import dev.weir.limits.LeaseStore;
import dev.weir.limits.LimitStore;
import dev.weir.spring.WeirProperties;
import dev.weir.store.redis.Redis;
import dev.weir.store.redis.RedisLeaseStore;
import dev.weir.store.redis.RedisLimitStore;
import dev.weir.store.redis.RedisSettings;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;

/** Counts in Redis, if the properties request it and the store is present. */
@AutoConfiguration
@ConditionalOnClass(Redis.class)
@ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "weir.store", havingValue = "redis")
@EnableConfigurationProperties(WeirProperties.class)
final class WeirRedisAutoConfiguration {
  /** Does not wait for Redis: a service starts while it is unavailable. */
  @Bean
  @ConditionalOnMissingBean
  Redis weirRedis(WeirProperties properties) {
    return Redis.open(settings(properties.redis()));
  }

  @Bean
  @ConditionalOnMissingBean
  LimitStore weirLimitStore(Redis redis) {
    return new RedisLimitStore(redis);
  }

  @Bean
  @ConditionalOnMissingBean
  LeaseStore weirLeaseStore(Redis redis) {
    return new RedisLeaseStore(redis);
  }

  /** Returns the settings. Errors do not repeat the address, which may contain a password. */
  private static RedisSettings settings(WeirProperties.Redis redis) {
    RedisSettings settings;
    try {
      settings = RedisSettings.of(redis.uri() == null ? "" : redis.uri());
    } catch (IllegalArgumentException e) {
      throw new WrongSecretException(
          "weir.redis.uri",
          "It must be redis://host:port, redis-sentinel://… or redis-cluster://….");
    }
    try {
      settings = settings.withPrefix(redis.prefix());
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigurationPropertyValueException(
          "weir.redis.prefix", redis.prefix(), e.getMessage() + ".");
    }
    try {
      settings = settings.withCommandTimeout(redis.timeout());
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigurationPropertyValueException(
          "weir.redis.timeout", redis.timeout(), "It must be from 1ms to 1m.");
    }
    String trust = redis.trust();
    try {
      return trust == null ? settings : settings.withTrust(Path.of(trust));
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigurationPropertyValueException(
          "weir.redis.trust", trust, e.getMessage() + ".");
    }
  }
}
