package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class RedisErrorTest {
  private static RedisCall<String> failing(Throwable failure) {
    return new RedisCall<>(
        CompletableFuture.completedFuture("connected"),
        connected -> CompletableFuture.failedFuture(failure));
  }

  @Test
  void errorOfThisProcessIsNoFailureOfRedis() {
    try (Redis redis = Redis.open(RedisSettings.of("redis://127.0.0.1:1"))) {
      assertThatThrownBy(() -> redis.await(failing(new OutOfMemoryError("Java heap space"))))
          .isInstanceOf(OutOfMemoryError.class);
      assertThatThrownBy(() -> redis.await(failing(new IllegalStateException("broken"))))
          .isInstanceOf(StoreException.class)
          .hasMessage("Redis failed: broken");
    }
  }
}
