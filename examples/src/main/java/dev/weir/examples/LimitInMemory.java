package dev.weir.examples;

import dev.weir.limits.Decision;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import java.time.Duration;

/**
 * Limits the calls of each user, counted in the memory of this process.
 *
 * <p>A user may make three calls at a time, and gets one more each minute. The key says whose calls
 * these are: every other key has a bucket of its own.
 */
public final class LimitInMemory {
  private LimitInMemory() {}

  public static void main(String... args) {
    Policy api = Policy.of("api", TokenBucket.of(3).refill(1, Duration.ofMinutes(1)));
    try (Limiter limiter = Limiter.inMemory()) {
      for (int call = 1; call <= 4; call++) {
        switch (limiter.acquire(api, "user:101")) {
          case Decision.Allowed allowed ->
              System.out.printf("call %d: allowed, %d left%n", call, allowed.remaining());
          case Decision.Refused refused ->
              System.out.printf("call %d: refused, retry after %s%n", call, refused.retryAfter());
        }
      }
    }
  }
}
