package dev.weir.limits;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A failover between two stores that fail when a test wants it, on a clock that it sets. */
final class FailoverScene {
  static final Duration MINUTE = Duration.ofMinutes(1);
  static final CircuitBreaker.Settings SETTINGS =
      new CircuitBreaker.Settings(3, Duration.ofMillis(200), Duration.ofSeconds(5));
  static final TokenBucket TEN = TokenBucket.of(10, Duration.ofSeconds(10));

  long nowMicros = 1_700_000_000_000_000L;
  final FragileStore store = new FragileStore(() -> nowMicros);
  final FragileStore next = new FragileStore(() -> nowMicros);
  final List<String> events = new ArrayList<>();
  final LimitObserver observer =
      new LimitObserver() {
        @Override
        public void storeFailed(String name, StoreException failure) {
          events.add(name + ": " + failure.getMessage());
        }

        @Override
        public void breakerChanged(String name, CircuitBreaker.State state) {
          events.add(name + " is " + state);
        }
      };

  Failover failover() {
    return builder(store).observer(observer).build();
  }

  FailoverBuilder builder(LimitStore reached) {
    return Failover.of(reached)
        .named("redis")
        .fallback(next)
        .nodes(2)
        .maxLocalKeys(1_000)
        .breaker(SETTINGS)
        .clock(() -> Micros.instant(nowMicros));
  }

  static Policy policy(Limit limit, OnStoreFailure onFailure) {
    return Policy.of("p", limit).onStoreFailure(onFailure);
  }

  static AcquireRequest one(Policy policy) {
    return AcquireRequest.of(LimitRequest.of(policy, "k"));
  }

  void giveUp(Failover failover, Policy policy) {
    store.breakDown();
    for (int i = 0; i < SETTINGS.failures(); i++) {
      failover.peek(one(policy));
    }
  }

  void recover(Failover failover, Policy policy) {
    nowMicros += 5_000_000;
    failover.peek(one(policy));
  }

  static int granted(Failover failover, Policy policy, int attempts) {
    int granted = 0;
    for (int i = 0; i < attempts; i++) {
      granted += failover.take(policy, "k", 1) ? 1 : 0;
    }
    return granted;
  }
}
