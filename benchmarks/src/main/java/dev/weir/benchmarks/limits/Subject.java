package dev.weir.benchmarks.limits;

import com.google.common.util.concurrent.RateLimiter;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.memory.MemoryLimitStore;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A limiter in memory that is measured, used the way its library handles many keys.
 *
 * <p>Limits are high enough that nothing is refused, and decay slowly enough that no key becomes
 * idle in the meantime: every call is a grant on one of the keys.
 */
interface Subject {
  long PLENTY = 1_000_000_000;

  /**
   * Enough for the busiest key of a whole run. A bucket with such a slow refill cannot count much
   * higher.
   */
  long ENOUGH = 200_000_000;

  Duration SLOWLY = Duration.ofSeconds(30);

  Duration LONG = Duration.ofHours(1);

  boolean ask(String key);

  static Subject weir(Limit limit) {
    MemoryLimitStore store = new MemoryLimitStore();
    Policy policy = Policy.of("api", limit);
    return key -> store.take(policy, key, 1);
  }

  static Limit bucket() {
    return new TokenBucket(ENOUGH, 1, SLOWLY.toNanos() / 1_000);
  }

  static Limit window() {
    return FixedWindow.of(PLENTY, LONG);
  }

  static Subject bucket4jBucket() {
    return bucket4j(Bandwidth.builder().capacity(ENOUGH).refillGreedy(1, SLOWLY).build());
  }

  static Subject bucket4jWindow() {
    return bucket4j(Bandwidth.builder().capacity(PLENTY).refillIntervally(PLENTY, LONG).build());
  }

  private static Subject bucket4j(Bandwidth bandwidth) {
    ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();
    return key -> {
      Bucket bucket = buckets.get(key);
      if (bucket == null) {
        bucket =
            buckets.computeIfAbsent(key, fresh -> Bucket.builder().addLimit(bandwidth).build());
      }
      return bucket.tryConsume(1);
    };
  }

  static Subject resilience4j() {
    RateLimiterConfig config =
        RateLimiterConfig.custom()
            .limitForPeriod((int) PLENTY)
            .limitRefreshPeriod(LONG)
            .timeoutDuration(Duration.ZERO)
            .build();
    ConcurrentHashMap<String, io.github.resilience4j.ratelimiter.RateLimiter> limiters =
        new ConcurrentHashMap<>();
    return key -> {
      io.github.resilience4j.ratelimiter.RateLimiter limiter = limiters.get(key);
      if (limiter == null) {
        limiter =
            limiters.computeIfAbsent(
                key, fresh -> io.github.resilience4j.ratelimiter.RateLimiter.of("api", config));
      }
      return limiter.acquirePermission();
    };
  }

  static Subject guava() {
    ConcurrentHashMap<String, RateLimiter> limiters = new ConcurrentHashMap<>();
    return key -> {
      RateLimiter limiter = limiters.get(key);
      if (limiter == null) {
        limiter = limiters.computeIfAbsent(key, fresh -> RateLimiter.create(PLENTY));
      }
      return limiter.tryAcquire();
    };
  }
}
