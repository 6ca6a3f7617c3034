package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two nodes with one store, one fallback and one log: the first uses the fallback. */
class SharedFallbackTest {
  private static final long SECOND = 1_000_000;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private long nowMicros = 1_700_000_000_000_000L;
  private final FragileStore store = new FragileStore(() -> nowMicros);
  private final FragileStore next = new FragileStore(() -> nowMicros);
  private final SharedLog log = new SharedLog();
  private final List<String> failures = new ArrayList<>();
  private final Policy policy =
      Policy.of("p", FixedWindow.of(10, MINUTE)).onStoreFailure(OnStoreFailure.FALLBACK);

  private static final class SharedLog implements FallbackLog {
    private long untilMicros = Micros.EARLIEST;
    private int reads;
    private int writes;
    private boolean isBroken;

    @Override
    public long usedUntilMicros() {
      reads++;
      if (isBroken) {
        throw new StoreException(StoreException.Outcome.NONE, "no log");
      }
      return untilMicros;
    }

    @Override
    public void uses(long until) {
      writes++;
      if (isBroken) {
        throw new StoreException(StoreException.Outcome.NONE, "no log");
      }
      untilMicros = Math.max(untilMicros, until);
    }
  }

  private Failover node(LimitStore reached) {
    LimitObserver observer =
        new LimitObserver() {
          @Override
          public void storeFailed(String name, StoreException failure) {
            failures.add(name + ": " + failure.getMessage());
          }
        };
    return Failover.of(reached)
        .named("redis")
        .fallback(next)
        .log(log)
        .observer(observer)
        .clock(() -> Micros.instant(nowMicros))
        .build();
  }

  private int granted(Failover failover, int attempts) {
    int granted = 0;
    for (int i = 0; i < attempts; i++) {
      granted += failover.take(policy, "k", 1) ? 1 : 0;
    }
    return granted;
  }

  /** The store fails, and the first node gets the whole limit from the fallback. */
  private void useFallback(Failover first) {
    assertThat(granted(first, 3)).isZero();
    nowMicros += 60 * SECOND;
    assertThat(granted(first, 100)).isEqualTo(10);
  }

  private void assertRefusesForAWindow(Failover second) {
    assertThat(granted(second, 100)).isZero();
    nowMicros += 60 * SECOND;
    assertThat(granted(second, 100)).as("others may notice the recovery later").isZero();
    nowMicros += 5 * SECOND;
    assertThat(granted(second, 100)).isEqualTo(10);
  }

  @Test
  void nodeWithoutRequestsDuringTheOutageRefusesAfterIt() {
    Failover first = node(store);
    Failover idle = node(store);
    store.breakDown();
    idle.watch();
    useFallback(first);
    store.mend();
    idle.watch();
    assertRefusesForAWindow(idle);
  }

  @Test
  void nodeThatCanReadButNotWriteNoticesTheOutageToo() {
    Failover first = node(store);
    Failover idle = node(store);
    store.refuseWrites();
    idle.watch();
    useFallback(first);
    store.mend();
    assertRefusesForAWindow(idle);
  }

  @Test
  void nodeThatDidNotCallTheFallbackDuringTheOutageRefusesAfterIt() {
    Failover first = node(store);
    Failover second = node(store);
    store.breakDown();
    assertThat(granted(second, 100)).isZero();
    useFallback(first);
    store.mend();
    nowMicros += SECOND;
    assertRefusesForAWindow(second);
  }

  @Test
  void requestWithoutAFallbackPolicyIsNotRefused() {
    Failover first = node(store);
    Failover idle = node(store);
    store.breakDown();
    idle.watch();
    useFallback(first);
    store.mend();
    Policy closed = Policy.of("closed", policy.limit());
    assertThat(idle.decide(AcquireRequest.of(LimitRequest.of(closed, "k"))).mode())
        .isEqualTo(AcquireResult.Mode.STORE);
  }

  @Test
  void watchingFindsThatTheStoreIsBack() {
    Failover idle = node(store);
    store.breakDown();
    for (int i = 0; i < 3; i++) {
      idle.watch();
    }
    int calls = store.calls();
    idle.watch();
    assertThat(store.calls()).as("the store has been given up").isEqualTo(calls);
    store.mend();
    nowMicros += SECOND;
    idle.watch();
    assertThat(idle.take(policy, "k", 1)).isTrue();
  }

  /** It would otherwise be stopped by a node that alone has lost the store. */
  @Test
  void nodeThatHasNotLostTheStoreIsNotRefusedForAnother() {
    FragileStore cut = new FragileStore(store);
    Failover first = node(cut);
    Failover near = node(store);
    cut.breakDown();
    near.watch();
    useFallback(first);
    near.watch();
    int reads = log.reads;
    assertThat(granted(near, 100)).isEqualTo(10);
    assertThat(log.reads).isEqualTo(reads);
  }

  @Test
  void logIsReadOnceAfterFailures() {
    Failover node = node(store);
    store.breakDown();
    node.watch();
    node.watch();
    store.mend();
    int reads = log.reads;
    assertThat(granted(node, 100)).isEqualTo(10);
    assertThat(log.reads).isEqualTo(reads + 1);
  }

  @Test
  void fallbackCountsAsUsedIfTheLogCannotBeRead() {
    Failover node = node(store);
    store.breakDown();
    node.watch();
    store.mend();
    log.isBroken = true;
    int reads = log.reads;
    assertRefusesForAWindow(node);
    assertThat(log.reads).isEqualTo(reads + 1);
    assertThat(failures).containsExactly("redis: broken", "redis's fallback: no log");
  }

  /** Callers write it one after the other: each would wait for the failure of all before it. */
  @Test
  void callersShareTheFailureToWriteTheLog() {
    Failover node = node(store);
    store.breakDown();
    assertThat(granted(node, 3)).isZero();
    nowMicros += 60 * SECOND;
    log.isBroken = true;
    for (int second = 0; second < 3; second++) {
      assertThat(granted(node, 100)).isZero();
      assertThat(log.writes).isEqualTo(second + 1);
      nowMicros += SECOND;
    }
    assertThat(next.calls()).isZero();
    log.isBroken = false;
    assertThat(granted(node, 100)).isEqualTo(10);
  }
}
