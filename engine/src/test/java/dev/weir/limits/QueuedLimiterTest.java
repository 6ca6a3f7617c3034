package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueuedLimiterTest {
  private static final Policy THREE = Policy.of("p", FixedWindow.of(3, Duration.ofSeconds(10)));

  private long nowMicros = 1_700_000_000_000_000L;
  private final MemoryLeaseStore places = new MemoryLeaseStore(() -> Micros.instant(nowMicros));
  private final Limiter limiter = Limiter.inMemory(() -> Micros.instant(nowMicros));

  private QueuedLimiter queued(Duration delay) {
    return new QueuedLimiter(limiter, Leases.on(places), Queue.of(2, delay));
  }

  @Test
  void ofEightConcurrentRequestsThreePassTwoWaitAndThreeAreRefused() {
    QueuedLimiter queued = queued(Duration.ofMillis(500));
    List<String> outcomes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      outcomes.add(
          switch (queued.acquire(THREE, "k", 1, "ticket " + i)) {
            case Decision.Allowed allowed -> "pass";
            case Delayed delayed -> delayed.position() + " waits " + delayed.delay().toMillis();
            case Decision.Refused refused -> "no, in " + refused.retryAfter().toMillis();
          });
    }
    assertThat(outcomes)
        .containsExactly(
            "pass",
            "pass",
            "pass",
            "1 waits 500",
            "2 waits 1000",
            "no, in 500",
            "no, in 500",
            "no, in 500");
  }

  @Test
  void placeIsFreeWhenItsWaitIsOverOrItsClientLeaves() {
    QueuedLimiter queued = queued(Duration.ofMillis(500));
    for (int i = 0; i < 5; i++) {
      queued.acquire(THREE, "k", 1, "ticket " + i);
    }
    queued.leave(THREE, "k", "ticket 4");
    assertThat(queued.acquire(THREE, "k", 1, "a")).isInstanceOf(Delayed.class);
    assertThat(queued.acquire(THREE, "k", 1, "b")).isInstanceOf(Decision.Refused.class);
    nowMicros += 500_000;
    assertThat(queued.acquire(THREE, "k", 1, "c")).isInstanceOf(Delayed.class);
    nowMicros += 2_000_000;
    queued.acquire(THREE, "other", 1, "d");
    assertThat(places.current("queue")).isZero();
  }

  @Test
  void keysAndPoliciesWaitByThemselves() {
    QueuedLimiter queued = queued(Duration.ofMillis(500));
    Policy longName = Policy.of("p".repeat(255), THREE.limit());
    for (Policy policy : List.of(THREE, longName)) {
      for (String key : List.of("k", "l", "x".repeat(255))) {
        for (int i = 0; i < 3; i++) {
          queued.acquire(policy, key, 1, "ticket " + i);
        }
        assertThat(queued.acquire(policy, key, 1, "ticket"))
            .isInstanceOfSatisfying(
                Delayed.class, delayed -> assertThat(delayed.position()).isEqualTo(1));
      }
    }
  }

  @Test
  void whoIsInterruptedWhileWaitingGivesThePlaceBack() throws Exception {
    QueuedLimiter queued = queued(Duration.ofSeconds(30));
    for (int i = 0; i < 3; i++) {
      assertThat(queued.acquireWaiting(THREE, "k")).isTrue();
    }
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> queued.acquireWaiting(THREE, "k"))
        .isInstanceOf(InterruptedException.class);
    assertThat(places.resources()).isZero();
  }

  @Test
  void nobodyWaitsForALimitThatAnUnavailableStoreKeepsClosed() throws Exception {
    LimitStore gone = unreachable(LimitStore.class, new MemoryLimitStore(), "decide", "probe");
    QueuedLimiter queued =
        new QueuedLimiter(
            Limiter.on(Failover.of(gone).build()),
            Leases.on(places),
            Queue.of(2, Duration.ofMillis(1)));
    for (int i = 0; i < 5; i++) {
      assertThat(queued.acquire(THREE, "k", 1, "ticket " + i)).isInstanceOf(Decision.Refused.class);
    }
    assertThat(queued.acquireWaiting(THREE, "k")).isFalse();
    assertThat(places.resources()).isZero();
  }

  @Test
  void interruptionIsNotLostIfThePlaceCannotBeGivenBack() throws Exception {
    QueuedLimiter queued =
        new QueuedLimiter(
            limiter,
            Leases.on(unreachable(LeaseStore.class, places, "release")),
            Queue.of(2, Duration.ofSeconds(30)));
    for (int i = 0; i < 3; i++) {
      assertThat(queued.acquireWaiting(THREE, "k")).isTrue();
    }
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> queued.acquireWaiting(THREE, "k"))
        .isInstanceOf(InterruptedException.class)
        .hasSuppressedException(new StoreException(StoreException.Outcome.UNKNOWN, "unreachable"));
  }

  /** Returns a store some of whose operations fail. */
  private static <S> S unreachable(Class<S> type, S store, String... operations) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (List.of(operations).contains(method.getName())) {
                throw new StoreException(StoreException.Outcome.UNKNOWN, "unreachable");
              }
              return method.invoke(store, arguments);
            }));
  }
}
