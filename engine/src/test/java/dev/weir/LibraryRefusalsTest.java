package dev.weir;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.Failover;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseFailover;
import dev.weir.limits.Leases;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a user of the library gets wrong is refused where it is given, by name and bound. */
final class LibraryRefusalsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration ENDLESS = Duration.ofSeconds(Long.MAX_VALUE - 1);

  @Test
  void schedulersRefuseWrongSettings() {
    SlotScheduler.Builder builder = SlotScheduler.builder(SlotStore.inMemory());
    refuses(() -> builder.upkeep(Duration.ZERO, 1), "upkeep interval", "PT0.001S", "PT0S");
    refuses(() -> builder.upkeep(Duration.ofNanos(1), 1), "upkeep interval", "PT0.001S");
    refuses(() -> builder.upkeep(ENDLESS, 1), "upkeep interval", "PT8760H");
    refuses(() -> builder.upkeep(SECOND, 0), "maxSteps of upkeep", "at least 1", "0");
    refuses(() -> builder.configCacheTtl(SECOND.negated()), "configCacheTtl", "PT0S", "PT-1S");
    refuses(() -> builder.configCacheTtl(ENDLESS), "configCacheTtl", "PT24H");
  }

  /** Each builder is used once, because the refusal is that of {@code build}. */
  @Test
  void schedulersRefuseWrongAges() {
    for (Duration age : new Duration[] {ENDLESS, SECOND.negated()}) {
      SlotScheduler.Builder retention = SlotScheduler.builder(SlotStore.inMemory()).retention(age);
      refuses(retention::build, "retention", "PT876600H", age.toString());
      SlotScheduler.Builder grace = SlotScheduler.builder(SlotStore.inMemory()).leakGrace(age);
      refuses(grace::build, "leakGrace", "PT876600H", age.toString());
    }
  }

  @Test
  void configurationsHaveProperNames() {
    try (SlotScheduler slots = SlotScheduler.inMemory()) {
      SlotPolicy policy = SlotPolicy.of(1, SECOND);
      refuses(() -> slots.configure("", policy), "name", "must not be empty");
      refuses(() -> slots.configure("x".repeat(101), policy), "name", "100");
      refuses(() -> slots.configure("a b", policy), "name", "letters, digits");
      refuses(() -> slots.configure("a b", 0, policy), "name", "letters, digits");
      misses(() -> slots.configure(null, policy), "name");
      misses(() -> slots.configure("a", null), "policy");
    }
  }

  @Test
  void failoverRefusesWrongSettings() {
    refuses(() -> Failover.of(new MemoryLimitStore()).maxLocalKeys(0), "maxLocalKeys", "0");
    refuses(() -> Failover.of(new MemoryLimitStore()).nodes(0), "nodes", "0");
    refuses(() -> new CircuitBreaker.Settings(1, SECOND, ENDLESS), "maxPause", "PT24H");
  }

  @Test
  void missingPartsAreNamed() {
    Policy policy = Policy.of("p", FixedWindow.of(1, SECOND));
    misses(() -> Limiter.on(null), "store");
    misses(() -> Limiter.inMemory().observedBy(null), "observer");
    misses(() -> Leases.on(null), "store");
    misses(() -> Failover.of(null), "store");
    misses(() -> Failover.of(new MemoryLimitStore()).named(null), "name");
    misses(() -> Failover.of(new MemoryLimitStore()).fallback(null), "fallback");
    misses(() -> Failover.of(new MemoryLimitStore()).observer(null), "observer");
    misses(() -> Failover.of(new MemoryLimitStore()).breaker(null), "breaker");
    misses(() -> LeaseFailover.of(null), "store");
    misses(() -> LeaseFailover.of(new MemoryLeaseStore()).onFailure(null), "onFailure");
    misses(() -> Policy.of(null, FixedWindow.of(1, SECOND)), "name");
    misses(() -> Policy.of("p", null), "limit");
    misses(() -> policy.onStoreFailure(null), "onStoreFailure");
    misses(() -> policy.createdAt(null), "createdAt");
    misses(() -> SlotScheduler.on(null), "store");
    misses(() -> SlotScheduler.builder(SlotStore.inMemory()).settings(null), "settings");
    misses(() -> SlotScheduler.builder(SlotStore.inMemory()).observer(null), "observer");
    misses(() -> SlotScheduler.builder(SlotStore.inMemory()).retention(null), "retention");
  }

  private static void refuses(ThrowingCallable making, String... texts) {
    assertThatThrownBy(making)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(texts);
  }

  private static void misses(ThrowingCallable making, String field) {
    assertThatThrownBy(making).isInstanceOf(NullPointerException.class).hasMessage(field);
  }
}
