package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.memory.MemoryLeaseStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaseFailoverTest {
  private static final Concurrency ONE = Concurrency.of(1, Duration.ofSeconds(30));
  private static final Queue QUEUE = Queue.of(1, Duration.ofSeconds(1));
  private static final CircuitBreaker.Settings SETTINGS =
      new CircuitBreaker.Settings(1, Duration.ofSeconds(1), Duration.ofSeconds(1));

  private long nowMicros = 1_700_000_000_000_000L;
  private final List<CircuitBreaker.State> states = new ArrayList<>();

  private final MemoryLeaseStore memory =
      new MemoryLeaseStore(() -> Micros.instant(nowMicros), 1_000);
  private boolean isBroken;

  private final LeaseStore store =
      (LeaseStore)
          Proxy.newProxyInstance(
              LeaseStore.class.getClassLoader(),
              new Class<?>[] {LeaseStore.class},
              (proxy, method, arguments) -> {
                if (isBroken) {
                  throw new StoreException(StoreException.Outcome.NONE, "broken");
                }
                try {
                  return method.invoke(memory, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });

  private LeaseFailover failover(LeaseFailover.OnFailure onFailure) {
    return failover(store, onFailure);
  }

  private LeaseFailover failover(LeaseStore leases, LeaseFailover.OnFailure onFailure) {
    LimitObserver observer =
        new LimitObserver() {
          @Override
          public void breakerChanged(String name, CircuitBreaker.State state) {
            states.add(state);
          }
        };
    return LeaseFailover.of(leases)
        .onFailure(onFailure)
        .breaker(SETTINGS)
        .observer(observer)
        .clock(() -> Micros.instant(nowMicros))
        .build();
  }

  /** Lets the breaker open; the store works again afterwards, and is called after the pause. */
  private void breakDown(LeaseFailover failover) {
    isBroken = true;
    assertThat(isGone(failover)).isTrue();
    isBroken = false;
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
  void closedReportsThatTheStoreIsUnavailable() {
    LeaseFailover failover = failover(LeaseFailover.OnFailure.CLOSED);
    breakDown(failover);
    LeaseDecision gone = new LeaseDecision.Unavailable(1_000_000, false);
    assertThat(failover.acquire("r", ONE, "a", 1)).isEqualTo(gone);
    assertThat(failover.join("r", QUEUE, "a")).isEqualTo(gone);
    assertThat(failover.renew("r", ONE, "a")).isEqualTo(gone);
    assertThat(failover.release("r", "a")).isEqualTo(gone);
    assertThat(gone.isGranted()).isFalse();
  }

  @Test
  void reportsWhetherTheStoreMayHaveExecutedTheRequest() {
    for (StoreException.Outcome outcome : StoreException.Outcome.values()) {
      LeaseStore failing =
          (LeaseStore)
              Proxy.newProxyInstance(
                  LeaseStore.class.getClassLoader(),
                  new Class<?>[] {LeaseStore.class},
                  (proxy, method, arguments) -> {
                    throw new StoreException(outcome, "failed");
                  });
      LeaseFailover failover = failover(failing, LeaseFailover.OnFailure.CLOSED);
      LeaseDecision sent = failover.renew("r", ONE, "a");
      assertThat(sent)
          .isInstanceOfSatisfying(
              LeaseDecision.Unavailable.class,
              gone -> assertThat(StoreException.Outcome.of(gone.mayBeDone())).isEqualTo(outcome));
      // The breaker is open: nothing is sent.
      assertThat(failover.renew("r", ONE, "a"))
          .isInstanceOfSatisfying(
              LeaseDecision.Unavailable.class, gone -> assertThat(gone.mayBeDone()).isFalse());
    }
  }

  @Test
  void errorOfThisProcessIsNoFailureOfTheStore() {
    LeaseStore failing =
        (LeaseStore)
            Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, arguments) -> {
                  throw new OutOfMemoryError("Java heap space");
                });
    LeaseFailover failover = failover(failing, LeaseFailover.OnFailure.CLOSED);
    for (int i = 0; i < 2 * SETTINGS.failures(); i++) {
      assertThatThrownBy(() -> failover.renew("r", ONE, "a")).isInstanceOf(OutOfMemoryError.class);
    }
    assertThat(states).isEmpty();
  }

  @Test
  void leaseIsNotLostBecauseItsStoreIsGone() {
    LeaseFailover failover = failover(LeaseFailover.OnFailure.CLOSED);
    try (Leases leases = Leases.on(failover)) {
      Leases.Acquired lease = (Leases.Acquired) leases.acquire("r", ONE);
      breakDown(failover);
      assertThatThrownBy(lease::renew).isInstanceOf(StoreException.class);
      assertThatThrownBy(() -> leases.acquire("r", ONE)).isInstanceOf(StoreException.class);
      nowMicros += 1_000_000;
      assertThat(lease.renew()).isTrue();
    }
  }

  @Test
  void whatWasNotSentProvesNothingAboutTheStore() {
    LeaseFailover failover = failover(LeaseFailover.OnFailure.CLOSED);
    breakDown(failover);
    nowMicros += 1_000_000;
    assertThatThrownBy(() -> failover.acquire("r", ONE, "a", 2))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(states)
        .containsExactly(
            CircuitBreaker.State.OPEN, CircuitBreaker.State.HALF_OPEN, CircuitBreaker.State.OPEN);
    // The next caller tries instead.
    assertThat(isGone(failover)).isFalse();
    assertThat(states).endsWith(CircuitBreaker.State.HALF_OPEN, CircuitBreaker.State.CLOSED);
  }

  @Test
  void openHasAPlaceForEveryone() {
    LeaseFailover failover = failover(LeaseFailover.OnFailure.OPEN);
    breakDown(failover);
    for (String id : new String[] {"a", "b", "c"}) {
      assertThat(failover.acquire("r", ONE, id, 1)).isInstanceOf(LeaseDecision.Unchecked.class);
      assertThat(failover.renew("r", ONE, id)).isInstanceOf(LeaseDecision.Unchecked.class);
      assertThat(failover.join("r", QUEUE, id).isGranted()).isTrue();
    }
  }

  @Test
  void callsTheStoreAgainAfterThePause() {
    LeaseFailover failover = failover(LeaseFailover.OnFailure.CLOSED);
    breakDown(failover);
    assertThatThrownBy(() -> failover.forget("r")).hasMessage("leases is unavailable");
    nowMicros += 30_000_000;
    assertThat(failover.acquire("r", ONE, "a", 1)).isInstanceOf(LeaseDecision.Held.class);
    assertThat(failover.current("r")).isEqualTo(1);
  }

  @Test
  void resourcesWhoseLeasesEndedMakeRoom() {
    MemoryLeaseStore small = new MemoryLeaseStore(() -> Micros.instant(nowMicros), 64);
    for (int i = 0; i < 10_000; i++) {
      small.acquire("r" + i, ONE, "a", 1);
      nowMicros += 30_000_000;
    }
    assertThat(small.resources()).isLessThanOrEqualTo(64);
    small.release("r9999", "a");
    assertThat(small.current("r9999")).isZero();
  }
}
