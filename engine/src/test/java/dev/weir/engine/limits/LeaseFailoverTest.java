package dev.weir.engine.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.Queue;
import dev.weir.engine.StoreException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseFailoverTest {
  private static final Concurrency ONE = Concurrency.of(1, Duration.ofSeconds(30));
  private static final Queue QUEUE = Queue.of(1, Duration.ofSeconds(1));
  private static final Breaker.Settings SETTINGS =
      new Breaker.Settings(1, Duration.ofSeconds(1), Duration.ofSeconds(1));

  private long nowMicros = 1_700_000_000_000_000L;

  /** Leases of one resource are all that fits, so that another is the store's failure. */
  private final MemoryLeaseStore store = new MemoryLeaseStore(() -> nowMicros, 1);

  private LeaseFailover failover(LeaseFailover.OnFailure onFailure) {
    return new LeaseFailover(
        "leases", store, onFailure, SETTINGS, LimitObserver.NONE, () -> nowMicros);
  }

  private void breakDown(LeaseFailover failover) {
    // Names are spread over stripes of one resource each: two of one stripe are found by trying.
    for (int i = 0; !isGone(failover); i++) {
      failover.acquire("filler " + i, ONE, "id", 1);
    }
  }

  private static boolean isGone(LeaseFailover failover) {
    try {
      failover.current("r");
      return false;
    } catch (StoreException e) {
      return true;
    }
  }

  @Test
  void closedHasNoPlaceAndRenewsNothing() {
    LeaseFailover failover = failover(LeaseFailover.OnFailure.CLOSED);
    breakDown(failover);
    assertThat(failover.acquire("r", ONE, "a", 1)).isEqualTo(new LeaseDecision.Full(0, 1_000_000));
    assertThat(failover.join("r", QUEUE, "a")).isInstanceOf(LeaseDecision.Full.class);
    assertThat(failover.renew("r", ONE, "a")).isEqualTo(new LeaseDecision.Gone(0));
    assertThat(failover.release("r", "a")).isEqualTo(new LeaseDecision.Gone(0));
  }

  @Test
  void openHasAPlaceForEveryone() {
    LeaseFailover failover = failover(LeaseFailover.OnFailure.OPEN);
    breakDown(failover);
    for (String id : new String[] {"a", "b", "c"}) {
      assertThat(failover.acquire("r", ONE, id, 1)).isInstanceOf(LeaseDecision.Held.class);
      assertThat(failover.renew("r", ONE, id)).isInstanceOf(LeaseDecision.Held.class);
      assertThat(failover.join("r", QUEUE, id)).isInstanceOf(LeaseDecision.Held.class);
    }
  }

  @Test
  void asksTheStoreAgainByItself() {
    LeaseFailover failover = failover(LeaseFailover.OnFailure.CLOSED);
    breakDown(failover);
    assertThatThrownBy(() -> failover.forget("r")).hasMessage("leases is gone");
    nowMicros += 30_000_000;
    assertThat(failover.acquire("r", ONE, "a", 1)).isInstanceOf(LeaseDecision.Held.class);
    assertThat(failover.current("r")).isEqualTo(1);
  }

  @Test
  void resourcesWhoseLeasesEndedMakeRoom() {
    MemoryLeaseStore small = new MemoryLeaseStore(() -> nowMicros, 64);
    for (int i = 0; i < 10_000; i++) {
      small.acquire("r" + i, ONE, "a", 1);
      nowMicros += 30_000_000;
    }
    assertThat(small.resources()).isLessThanOrEqualTo(64);
    small.release("r9999", "a");
    assertThat(small.current("r9999")).isZero();
  }
}
