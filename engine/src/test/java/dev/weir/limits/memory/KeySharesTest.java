package dev.weir.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clients that make up keys of a rule. */
final class KeySharesTest {
  private static final int MAX_KEYS = 9_000;
  private static final Policy ONE = policy("one");
  private static final Policy OTHER = policy("other");

  private long nowMicros = 1_000_000;
  private final MemoryLimitStore store =
      new MemoryLimitStore(() -> Micros.instant(nowMicros), MAX_KEYS);

  private static Policy policy(String name) {
    return Policy.of(name, FixedWindow.of(5, Duration.ofMinutes(1)));
  }

  /** Makes up keys of a rule until it gets no more; returns how many it got. */
  private int fill(Policy policy) {
    for (int i = 0; i <= MAX_KEYS; i++) {
      try {
        assertThat(store.take(policy, "made up " + i, 1)).isTrue();
      } catch (StoreException e) {
        assertThat(e.isFull()).isTrue();
        return i;
      }
    }
    throw new IllegalStateException("never full");
  }

  @Test
  void oneRuleFillsItsShareAndNotTheStoreOfAll() {
    assertThat(fill(ONE)).isEqualTo(MAX_KEYS / 2);

    for (int i = 0; i < 100; i++) {
      assertThat(store.take(OTHER, "user " + i, 1)).isTrue();
    }
    // Its keys are counted as ever.
    assertThat(store.decide(ONE, "made up 7", 4).isAllowed()).isTrue();
    assertThat(store.decide(ONE, "made up 7", 1).isAllowed()).isFalse();
  }

  @Test
  void someIsLeftHoweverManyRulesAreFilled() {
    for (int rule = 0; rule < 10; rule++) {
      assertThat(fill(policy("r" + rule))).as("rule " + rule).isPositive();
    }
    assertThat(store.take(OTHER, "user", 1)).isTrue();
  }

  @Test
  void shareHoldsForRequestsOfSeveralKeysToo() {
    fill(ONE);
    AcquireRequest both =
        AcquireRequest.all(
            List.of(LimitRequest.of(OTHER, "user"), LimitRequest.of(ONE, "one more")));

    assertThatThrownBy(() -> store.decide(both))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("full for this rule");
    assertThat(store.usage(OTHER, "user").isNone()).isTrue();
  }

  @Test
  void idleKeysGiveTheirPlacesBack() {
    int share = fill(ONE);

    nowMicros += Duration.ofMinutes(2).toNanos() / 1_000;
    store.sweep();

    assertThat(fill(ONE)).isEqualTo(share);
  }
}
