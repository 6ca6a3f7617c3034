package dev.weir.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The bounds of leases in memory. */
final class MemoryLeaseStoreTest {
  private static final int MAX_LEASES = 50;
  private static final Concurrency LIMIT = Concurrency.of(1_000_000, Duration.ofMinutes(1));

  private long nowMicros = 1_780_000_000_000_000L;
  private final MemoryLeaseStore store =
      new MemoryLeaseStore(() -> Micros.instant(nowMicros), 10_000, MAX_LEASES);

  private boolean acquire(String resource, String lease) {
    return store.acquire(resource, LIMIT, lease, 1) instanceof LeaseDecision.Held;
  }

  private void fill() {
    for (int i = 0; i < MAX_LEASES; i++) {
      assertThat(acquire(i % 2 == 0 ? "one" : "resource-" + i, "lease-" + i)).isTrue();
    }
  }

  private void isFull(String resource) {
    assertThatThrownBy(() -> acquire(resource, "further"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("full: 50 leases are held");
  }

  /** Clients that never release what a huge limit grants them must not exhaust the heap. */
  @Test
  void leasesOfAllResourcesAreBounded() {
    fill();
    isFull("one");
    isFull("another");

    assertThat(acquire("one", "lease-0")).as("is held already").isTrue();
    assertThat(store.renew("one", LIMIT, "lease-0")).isInstanceOf(LeaseDecision.Held.class);
    store.release("one", "lease-0");
    assertThat(acquire("another", "further")).isTrue();
    isFull("one");
    store.forget("one");
    assertThat(acquire("one", "further")).isTrue();
  }

  /** Wherever they are: those resources get no more requests. */
  @Test
  void expiredLeasesMakeRoom() {
    fill();
    nowMicros += Duration.ofMinutes(2).toNanos() / 1_000;
    int refused = 0;
    while (refused < 64 && !acquires("another")) {
      refused++;
    }
    assertThat(refused).isLessThan(64);
  }

  private boolean acquires(String resource) {
    try {
      return acquire(resource, "further");
    } catch (StoreException e) {
      return false;
    }
  }

  @Test
  void maxLeasesMustBePositive() {
    assertThatThrownBy(() -> new MemoryLeaseStore(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxLeases must be at least 1, not 0");
  }
}
