package dev.weir.examples;

import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.store.redis.RedisLimitStore;
import java.time.Duration;

/**
 * Limits the calls of each user for all instances of a service together, counted in Redis.
 *
 * <p>Here two limiters stand for two instances: what one has allowed, the other knows of. Only the
 * store differs from a limit in memory.
 */
public final class LimitOnRedis {
  private LimitOnRedis() {}

  /** Takes the address of Redis, such as {@code redis://localhost:6379}. */
  public static void main(String... args) {
    Policy api = Policy.of("api", SlidingWindow.of(3, Duration.ofMinutes(1)));
    try (Limiter one = Limiter.on(RedisLimitStore.connect(args[0]));
        Limiter other = Limiter.on(RedisLimitStore.connect(args[0]))) {
      for (int call = 1; call <= 2; call++) {
        System.out.printf("one: %s%n", one.tryAcquire(api, "user:101"));
        System.out.printf("other: %s%n", other.tryAcquire(api, "user:101"));
      }
    }
  }
}
