package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Leases;
import dev.weir.limits.LimitObserver;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import java.time.Duration;
import java.time.Instant;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What is closed grants nothing, and says why. */
final class ClosedPartsTest {
  private static final Policy POLICY = Policy.of("p", FixedWindow.of(10, Duration.ofDays(1)));
  private static final Concurrency TWO = Concurrency.of(2, Duration.ofDays(1));

  @Test
  void closedLimiterDecidesNothing() {
    Limiter limiter = Limiter.inMemory();
    AcquireRequest request = AcquireRequest.of(LimitRequest.of(POLICY, "k"));
    limiter.close();
    isClosed(() -> limiter.tryAcquire(POLICY, "k"), "limiter");
    isClosed(() -> limiter.acquire(POLICY, "k"), "limiter");
    isClosed(() -> limiter.acquire(request), "limiter");
    isClosed(() -> limiter.peek(POLICY, "k"), "limiter");
    isClosed(() -> limiter.peek(request), "limiter");
    limiter.close();
  }

  @Test
  void limitersOfOneStoreAreClosedTogether() {
    Limiter limiter = Limiter.inMemory();
    Limiter observed = limiter.observedBy(LimitObserver.NONE);
    observed.close();
    isClosed(() -> limiter.tryAcquire(POLICY, "k"), "limiter");
  }

  @Test
  void closedLeasesGrantNoneAndRenewNone() {
    Leases leases = Leases.inMemory();
    Leases.Acquired lease = (Leases.Acquired) leases.acquire("printer", TWO);
    leases.close();
    isClosed(() -> leases.acquire("printer", TWO), "lease");
    isClosed(() -> leases.acquire("printer", TWO, "id", 1), "lease");
    isClosed(lease::renew, "lease");
    // A holder in a try block that ends later does not fail because of it.
    lease.close();
    assertThat(leases.current("printer")).isZero();
  }

  @Test
  void closedSchedulerAssignsAndChangesNothing() {
    SlotScheduler slots = SlotScheduler.inMemory();
    SlotPolicy policy = SlotPolicy.of(1, Duration.ofSeconds(1));
    slots.configure("c", policy);
    slots.assign("e", "c");
    slots.close();
    isClosed(() -> slots.assign("f", "c"), "scheduler");
    isClosed(() -> slots.confirm("e"), "scheduler");
    isClosed(() -> slots.cancel("e"), "scheduler");
    isClosed(() -> slots.configure("c", policy), "scheduler");
    isClosed(() -> slots.configure("c", 1, policy), "scheduler");
    isClosed(() -> slots.reclaim(Instant.EPOCH, 1), "scheduler");
  }

  private static void isClosed(ThrowingCallable call, String part) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(part)
        .hasMessageEndingWith("is closed");
  }
}
