package dev.weir.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Properties specific to the in-memory store; the TCK proves that it decides as core does. */
class MemoryLimitStoreTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final List<Policy> POLICIES =
      List.of(
          Policy.of("bucket", TokenBucket.of(5, SECOND)),
          Policy.of("window", FixedWindow.of(5, SECOND)),
          Policy.of("sliding", SlidingWindow.of(5, SECOND)),
          Policy.of("bucket", TokenBucket.of(5).refill(1, SECOND)),
          Policy.of("window", FixedWindow.of(5, Duration.ofSeconds(3)).alignedToEpoch()));

  private long nowMicros = 1_000_000_000_000_000L;

  private record Key(String policy, String key) {}

  private MemoryLimitStore store(long maxKeys) {
    return new MemoryLimitStore(() -> Micros.instant(nowMicros), maxKeys);
  }

  @Test
  void manyPlacesMoveAndNoneIsLost() {
    MemoryLimitStore store = store(1_000_000);
    Policy policy = Policy.of("p", TokenBucket.of(3, Duration.ofHours(3)));
    int keys = 50_000;
    for (int round = 1; round <= 3; round++) {
      for (int i = 0; i < keys; i++) {
        assertThat(store.take(policy, "user:" + i, 1)).isTrue();
      }
    }
    for (int i = 0; i < keys; i++) {
      assertThat(store.take(policy, "user:" + i, 1)).isFalse();
    }
    assertThat(store.keys()).isEqualTo(keys);
  }

  @Test
  void policiesWithTheSameLimitAreCountedApart() {
    MemoryLimitStore store = store(2_000);
    TokenBucket bucket = TokenBucket.of(5, SECOND);
    for (String name : List.of("one", "other", "one more")) {
      for (int i = 0; i < 5; i++) {
        assertThat(store.take(Policy.of(name, bucket), "key", 1)).isTrue();
      }
      assertThat(store.take(Policy.of(name, bucket), "key", 1)).isFalse();
    }
  }

  @Test
  void kindsOfLimitsAreCountedApartUnderTheSameName() {
    MemoryLimitStore store = store(2_000);
    for (int round = 0; round < 2; round++) {
      for (Limit limit :
          List.of(
              TokenBucket.of(5, SECOND), FixedWindow.of(5, SECOND), SlidingWindow.of(5, SECOND))) {
        for (int i = 0; i < 5; i++) {
          assertThat(store.take(Policy.of("p", limit), "key", 1)).isEqualTo(round == 0);
        }
        assertThat(store.take(Policy.of("p", limit), "key", 1)).isFalse();
      }
    }
  }

  @Test
  void busyKeyKeepsItsUsageWhenItsLimitChanges() {
    MemoryLimitStore store = store(2_000);
    Policy before = Policy.of("p", TokenBucket.of(10, SECOND));
    Policy after = Policy.of("p", TokenBucket.of(12).refill(1, Duration.ofHours(1)));
    for (int i = 0; i < 8; i++) {
      assertThat(store.take(before, "key", 1)).isTrue();
    }
    for (int i = 0; i < 4; i++) {
      assertThat(store.take(after, "key", 1)).isTrue();
    }
    assertThat(store.take(after, "key", 1)).isFalse();
  }

  @Property(tries = 20)
  void placesAreFoundWhateverCameAndWent(@ForAll long seed) {
    // The clock only goes forward, so swept and unswept keys decide the same.
    SplittableRandom random = new SplittableRandom(seed);
    MemoryLimitStore store = store(2_000);
    Map<Key, Usage> naive = new HashMap<>();
    for (int i = 0; i < 5_000; i++) {
      Policy policy = POLICIES.get(random.nextInt(3));
      String key = "k" + random.nextInt(300);
      Key place = new Key(policy.name(), key);
      Usage usage = naive.getOrDefault(place, Usage.NONE);
      switch (random.nextInt(12)) {
        case 0 -> nowMicros += random.nextInt(100_000);
        case 1 -> {
          store.forget(policy, key);
          naive.remove(place);
        }
        case 2 -> {
          if (random.nextInt(50) == 0) {
            store.sweep();
          }
        }
        case 3, 4, 5 -> {
          Limit.Step step = policy.limit().decide(usage, 1, nowMicros);
          assertThat(store.take(policy, key, 1)).isEqualTo(step.decision().isAllowed());
          naive.put(place, step.next());
        }
        default -> {
          Limit.Step step = policy.limit().decide(usage, 2, nowMicros);
          assertThat(store.decide(policy, key, 2)).isEqualTo(step.decision());
          naive.put(place, step.next());
        }
      }
    }
    nowMicros += 10_000_000;
    store.sweep();
    assertThat(store.keys()).isZero();
  }

  @Test
  void idleKeysAreRemovedByCallsForOtherKeys() {
    MemoryLimitStore store = store(1_000_000);
    for (Policy policy : POLICIES) {
      for (int i = 0; i < 20_000; i++) {
        store.take(policy, "user:" + i, 1);
      }
    }
    nowMicros += 10_000_000;
    long before = store.keys();
    for (int i = 0; i < 4_000; i++) {
      nowMicros += UsageTable.SWEEP_MICROS;
      store.take(POLICIES.get(0), "the same", 1);
      store.take(POLICIES.get(2), "the same", 1);
    }
    assertThat(before).isGreaterThan(50_000);
    assertThat(store.keys()).isEqualTo(2);
  }

  @Test
  void idleKeysAreRemovedByRequestsForSeveralKeys() {
    MemoryLimitStore store = store(1_000_000);
    for (int i = 0; i < 20_000; i++) {
      store.take(POLICIES.get(0), "user:" + i, 1);
      store.take(POLICIES.get(2), "user:" + i, 1);
    }
    nowMicros += 10_000_000;
    AcquireRequest both =
        AcquireRequest.all(
            List.of(
                LimitRequest.of(POLICIES.get(0), "the same"),
                LimitRequest.of(POLICIES.get(2), "the same")));
    for (int i = 0; i < 2_000; i++) {
      nowMicros += UsageTable.SWEEP_MICROS;
      store.decide(both);
    }
    assertThat(store.keys()).isEqualTo(2);
  }

  @Test
  void idleKeysMakeRoomBeforeAnyIsRefused() {
    MemoryLimitStore store = store(64);
    Policy policy = POLICIES.getFirst();
    for (int i = 0; i < 10_000; i++) {
      store.take(policy, "user:" + i, 1);
      nowMicros += 10_000;
    }
    assertThat(store.keys()).isLessThanOrEqualTo(64);
  }

  @Test
  void failsWhenFullAndKeepsAllCounts() {
    MemoryLimitStore store = store(100);
    Policy policy = POLICIES.getFirst();
    for (int i = 0; i < 100; i++) {
      assertThat(store.take(policy, "user:" + i, 5)).isTrue();
    }
    assertThatThrownBy(() -> store.take(policy, "one too many", 1))
        .isInstanceOf(StoreException.class)
        .hasMessage("full: 100 keys are in use");
    assertThatThrownBy(() -> store.decide(policy, "one too many", 1))
        .isInstanceOf(StoreException.class);
    for (int i = 0; i < 100; i++) {
      assertThat(store.take(policy, "user:" + i, 1)).isFalse();
    }
    nowMicros += 1_000_000;
    assertThat(store.take(policy, "one too many", 1)).isTrue();
  }

  @Test
  void whatDoesNotFitAsAWholeIsNotDoneInPart() {
    MemoryLimitStore store = store(3);
    Policy policy = Policy.of("p", TokenBucket.of(5, SECOND));
    store.take(policy, "known", 1);
    AcquireRequest request =
        AcquireRequest.all(
            List.of(
                LimitRequest.of(policy, "known"),
                LimitRequest.of(policy, "new 1"),
                LimitRequest.of(policy, "new 2"),
                LimitRequest.of(policy, "new 3")));
    assertThatThrownBy(() -> store.decide(request)).isInstanceOf(StoreException.class);
    assertThat(store.keys()).isEqualTo(1);
    assertThat(
            store.peek(AcquireRequest.of(LimitRequest.of(policy, "known"))).decision().remaining())
        .isEqualTo(4);
  }

  @Test
  void manyDifferentLimitsAreRememberedAsLongAsTheyAreUsed() {
    MemoryLimitStore store = store(100_000);
    for (int round = 0; round < 3; round++) {
      for (int i = 1; i <= 10_000; i++) {
        TokenBucket bucket = TokenBucket.of(2).refill(i, Duration.ofHours(2));
        assertThat(store.take(Policy.of("p", bucket), "user:" + i, 2)).isTrue();
        assertThat(store.take(Policy.of("p", bucket), "user:" + i, 1)).isFalse();
      }
      nowMicros += Duration.ofHours(4).toNanos() / 1_000;
    }
    store.sweep();
    assertThat(store.keys()).isZero();
  }

  @Test
  void requestIdsAreBoundedAndForgotten() {
    MemoryLimitStore store = store(64);
    Policy policy = Policy.of("p", FixedWindow.of(1_000_000, Duration.ofDays(1)));
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 1_000; i++) {
                store.decide(
                    AcquireRequest.of(LimitRequest.of(policy, "k")).withRequestId("id " + i));
              }
            })
        .isInstanceOf(StoreException.class)
        .hasMessage("full: too many request ids are remembered");
    nowMicros += AcquireRequest.DEFAULT_TTL.toNanos() / 1_000;
    AcquireResult answer =
        store.decide(AcquireRequest.of(LimitRequest.of(policy, "k")).withRequestId("id 0"));
    assertThat(answer.isReplayed()).isFalse();
  }

  @Test
  void maxKeysMustBePositive() {
    assertThatThrownBy(() -> store(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
