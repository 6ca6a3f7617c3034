package dev.weir.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No grant is lost or counted twice while keys are added, removed and moved. {@code
 * -Dweir.faults.rounds=N} makes it longer.
 */
final class MemoryLimitStoreRaceTest {
  /** With 64 segments, so that counted keys share them with keys that come and go. */
  private static final long MAX_KEYS = 100_000;

  private static final int COUNTED = 200;
  private static final int CALLERS = 3;
  private static final int TURNS = 30_000 * Integer.getInteger("weir.faults.rounds", 1);
  private static final int PASSING = 300;
  private static final long PLENTY = 1_000_000;

  private final MemoryLimitStore store =
      new MemoryLimitStore(() -> Micros.instant(1_000_000), MAX_KEYS);
  private final AtomicLongArray granted = new AtomicLongArray(COUNTED);

  static Stream<Limit> limits() {
    return Stream.of(
        TokenBucket.of(PLENTY, Duration.ofDays(1)),
        FixedWindow.of(PLENTY, Duration.ofDays(1)),
        SlidingWindow.of(PLENTY, Duration.ofDays(1)));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void everyGrantIsCountedOnce(Limit limit) throws Exception {
    Policy policy = Policy.of("counted", limit);
    AtomicBoolean isOver = new AtomicBoolean();
    try (ExecutorService executor = Executors.newFixedThreadPool(CALLERS + 1)) {
      Future<?> passing = executor.submit(() -> comeAndGo(limit, isOver));
      List<Future<?>> callers = new ArrayList<>();
      for (int caller = 0; caller < CALLERS; caller++) {
        SplittableRandom random = new SplittableRandom(caller);
        callers.add(executor.submit(() -> request(policy, random)));
      }
      for (Future<?> caller : callers) {
        caller.get();
      }
      isOver.set(true);
      passing.get();
    }

    long unit = limit instanceof TokenBucket bucket ? bucket.refillMicros() : 1;
    for (int key = 0; key < COUNTED; key++) {
      assertThat(store.usage(policy, "key:" + key).used())
          .as("what key %d has used", key)
          .isEqualTo(granted.get(key) * unit);
    }
  }

  /** Takes one or two units at a time, and sometimes gives one back. */
  private void request(Policy policy, SplittableRandom random) {
    for (int turn = 0; turn < TURNS; turn++) {
      int one = random.nextInt(COUNTED);
      int other = (one + 1 + random.nextInt(COUNTED - 1)) % COUNTED;
      switch (random.nextInt(8)) {
        case 0 -> note(store.decide(policy, "key:" + one, 1).isAllowed(), one);
        case 1 -> {
          AcquireRequest both =
              AcquireRequest.all(
                  List.of(
                      LimitRequest.of(policy, "key:" + one),
                      LimitRequest.of(policy, "key:" + other)));
          boolean isAllowed = store.decide(both).isAllowed();
          note(isAllowed, one);
          note(isAllowed, other);
        }
        case 2 -> {
          if (store.take(policy, "key:" + one, 1)) {
            store.refund(
                AcquireRequest.of(LimitRequest.of(policy, "key:" + one)), Instant.ofEpochSecond(1));
          }
        }
        default -> note(store.take(policy, "key:" + one, 1), one);
      }
    }
  }

  private void note(boolean isGranted, int key) {
    if (isGranted) {
      granted.incrementAndGet(key);
    }
  }

  /** Makes segments grow and shrink, and entries move up into holes. */
  private void comeAndGo(Limit limit, AtomicBoolean isOver) {
    Policy passing = Policy.of("passing", limit);
    do {
      for (int key = 0; key < PASSING; key++) {
        assertThat(store.take(passing, "passing:" + key, 1)).isTrue();
      }
      for (int key = 0; key < PASSING; key++) {
        store.forget(passing, "passing:" + key);
      }
      store.sweep();
    } while (!isOver.get());
  }
}
