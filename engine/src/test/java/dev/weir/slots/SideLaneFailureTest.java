package dev.weir.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.slots.internal.MemorySlotLedger;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A failure of the store while requests wait in the lanes of a configuration. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SideLaneFailureTest {
  private static final SlotPolicy POLICY = SlotPolicy.of(10, Duration.ofSeconds(4));
  private static final Instant PAST = Instant.parse("2026-01-01T00:00:00Z");

  private final MemorySlotLedger memory =
      new MemorySlotLedger(InstantSource.system(), new Random(1), 100);
  private final CountDownLatch isCounting = new CountDownLatch(1);
  private final CountDownLatch isCounted = new CountDownLatch(1);
  private final CountDownLatch isWaiting = new CountDownLatch(1);
  private final CountDownLatch isFree = new CountDownLatch(1);
  private final SlotScheduler scheduler =
      SlotScheduler.on(SlotStore.of(ledger(), memory, memory, () -> {}));

  @Test
  void failureIsNotThatOfARequestThatMovedToAnotherLane() throws InterruptedException {
    memory.configure("busy", POLICY);
    memory.configure("free", POLICY);
    SlotScheduler.Pending counted = submit(new SlotRequest("past-1", "busy", PAST));
    isCounting.await();
    SlotScheduler.Pending locked = submit(SlotRequest.now("locked", "busy"));
    isWaiting.await();
    SlotScheduler.Pending moves = submit(new SlotRequest("past-2", "busy", PAST));
    SlotScheduler.Pending fails = submit(SlotRequest.now("fails", "busy"));
    isFree.countDown();

    assertThatThrownBy(fails::await)
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.outcome()).isEqualTo(StoreException.Outcome.NONE));
    isCounted.countDown();
    assertThat(moves.await()).first().isInstanceOf(Assignment.Assigned.class);
    assertThat(memory.find("past-2")).isPresent();
    assertThat(counted.await()).first().isInstanceOf(Assignment.Assigned.class);
    assertThat(locked.await()).first().isInstanceOf(Assignment.Assigned.class);
  }

  /** Submits a request, which has been processed or is in a side lane when this returns. */
  private SlotScheduler.Pending submit(SlotRequest request) {
    SlotScheduler.Pending pending = scheduler.submit(List.of(request));
    // Requests are processed in order.
    assertThat(scheduler.assign(SlotRequest.now("after-" + request.eventId(), "free")))
        .isInstanceOf(Assignment.Assigned.class);
    return pending;
  }

  /**
   * A ledger in which past times of a configuration have to be counted, other times of it are
   * locked, and a request fails that has waited for the lock.
   */
  private SlotLedger ledger() {
    return (SlotLedger)
        Proxy.newProxyInstance(
            SlotLedger.class.getClassLoader(),
            new Class<?>[] {SlotLedger.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  // One request at a time, so that each has a reply of its own.
                  case "batchSize" -> 1;
                  case "attempt" -> attempt(requests(arguments), (WaitMode) arguments[1]);
                  case "assign" -> count(requests(arguments));
                  default -> {
                    try {
                      yield method.invoke(memory, arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  }
                });
  }

  @SuppressWarnings("unchecked")
  private static List<AssignRequest> requests(Object[] arguments) {
    return (List<AssignRequest>) arguments[0];
  }

  private List<? extends AssignReply> attempt(List<AssignRequest> requests, WaitMode waitMode)
      throws InterruptedException {
    SlotRequest first = requests.getFirst().request();
    if (first.configName().equals("free")) {
      return memory.assign(requests);
    }
    if (first.requestedTime().isPresent()) {
      return List.of(AssignReply.Deferred.UNCOUNTED);
    }
    if (waitMode == WaitMode.NONE) {
      return List.of(AssignReply.Deferred.LOCKED);
    }
    isWaiting.countDown();
    isFree.await();
    if (first.eventId().equals("fails")) {
      throw new StoreException(StoreException.Outcome.NONE, "locked for too long");
    }
    return memory.assign(requests);
  }

  private List<Assignment> count(List<AssignRequest> requests) throws InterruptedException {
    isCounting.countDown();
    isCounted.await();
    return memory.assign(requests);
  }
}
