package dev.weir.benchmarks.limits;

import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.redis.Redis;
import dev.weir.store.redis.RedisLimitStore;
import dev.weir.store.redis.RedisSettings;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A limiter that takes one token of a key's bucket in Redis. */
interface RedisPeer extends AutoCloseable {
  boolean take(String key);

  @Override
  void close();

  /** Weir's store. */
  record Weir(Redis redis, RedisLimitStore store, Policy policy) implements RedisPeer {
    static Weir on(String uri, long capacity, Duration untilFull) {
      Redis redis = Redis.open(RedisSettings.of(uri));
      return new Weir(
          redis,
          new RedisLimitStore(redis),
          Policy.of("bench", TokenBucket.of(capacity, untilFull)));
    }

    @Override
    public boolean take(String key) {
      return store.take(policy, key, 1);
    }

    @Override
    public void close() {
      redis.close();
    }
  }

  /** Bucket4j by compare and swap, the mode that it offers for Lettuce. */
  record Bucket4j(
      RedisClient client, ProxyManager<byte[]> buckets, BucketConfiguration configuration)
      implements RedisPeer {
    static Bucket4j on(String uri, long capacity, Duration untilFull) {
      RedisClient client = RedisClient.create(uri);
      ProxyManager<byte[]> buckets =
          Bucket4jLettuce.casBasedBuilder(client)
              .expirationAfterWrite(
                  ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(untilFull))
              .build();
      BucketConfiguration configuration =
          BucketConfiguration.builder()
              .addLimit(limit -> limit.capacity(capacity).refillGreedy(capacity, untilFull))
              .build();
      return new Bucket4j(client, buckets, configuration);
    }

    @Override
    public boolean take(String key) {
      return buckets
          .builder()
          .build(("bucket4j:" + key).getBytes(StandardCharsets.UTF_8), () -> configuration)
          .tryConsume(1);
    }

    @Override
    public void close() {
      client.shutdown();
    }
  }

  /** Redisson's limiter; each key's rate is set once, outside of the measurement where possible. */
  record RedissonLimiter(RedissonClient client, Set<String> known, long permits, Duration interval)
      implements RedisPeer {
    static RedissonLimiter on(String uri, long permits, Duration interval) {
      Config config = new Config();
      config.useSingleServer().setAddress(uri);
      return new RedissonLimiter(
          Redisson.create(config), ConcurrentHashMap.newKeySet(), permits, interval);
    }

    /** Sets the rate of a key, which a caller does once. */
    void prepare(String key) {
      if (known.add(key)) {
        client.getRateLimiter("redisson:" + key).trySetRate(RateType.OVERALL, permits, interval);
      }
    }

    @Override
    public boolean take(String key) {
      RRateLimiter limiter = client.getRateLimiter("redisson:" + key);
      return limiter.tryAcquire();
    }

    @Override
    public void close() {
      client.shutdown();
    }
  }
}
