package dev.weir.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.slots.internal.MemorySlotLedger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An error of this process, such as a lack of memory, while a request waits in a side lane. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SideLaneErrorTest {
  private static final SlotPolicy POLICY = SlotPolicy.of(10, Duration.ofSeconds(4));

  private final MemorySlotLedger ledger =
      new MemorySlotLedger(InstantSource.system(), new Random(1), 100);
  private final FailingLedger failing = new FailingLedger(ledger);
  private final SlotScheduler scheduler =
      SlotScheduler.on(SlotStore.of(failing, ledger, ledger, () -> {}));

  @Test
  void errorIsNotAFailureOfTheStoreAndTheLaneGoesOn() throws InterruptedException {
    ledger.configure("locked", POLICY);
    ledger.configure("free", POLICY);
    SlotScheduler.Pending first =
        scheduler.submit(List.of(SlotRequest.now("a", "locked"), SlotRequest.now("b", "free")));
    assertAssigned("c", "free");
    failing.isWaiting.await();
    SlotScheduler.Pending second = scheduler.submit(List.of(SlotRequest.now("d", "locked")));
    // Requests are processed in order, so the one before is in the side lane afterwards.
    assertAssigned("e", "free");
    failing.mayFail.countDown();

    assertThatThrownBy(first::await)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("assigning slots failed: java.lang.StackOverflowError: too deep")
        .hasCauseInstanceOf(StackOverflowError.class);
    assertThat(second.await()).first().isInstanceOf(Assignment.Assigned.class);
    assertAssigned("f", "locked");
  }

  private void assertAssigned(String eventId, String configName) {
    assertThat(scheduler.assign(SlotRequest.now(eventId, configName)))
        .isInstanceOf(Assignment.Assigned.class);
  }

  /**
   * Reports one configuration as locked until a request has waited for it, and fails the first of
   * those with an error.
   */
  private static final class FailingLedger implements SlotLedger {
    final CountDownLatch isWaiting = new CountDownLatch(1);
    final CountDownLatch mayFail = new CountDownLatch(1);
    private final SlotLedger ledger;
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    FailingLedger(SlotLedger ledger) {
      this.ledger = ledger;
    }

    /** One request at a time, so that only the first of the lane fails. */
    @Override
    public int batchSize(List<AssignRequest> requests) {
      return hasFailed.get() ? requests.size() : 1;
    }

    @Override
    public List<? extends AssignReply> attempt(List<AssignRequest> requests, WaitMode waitMode) {
      if (waitMode == WaitMode.NONE) {
        return isLocked(requests) ? List.of(AssignReply.Deferred.LOCKED) : assign(requests);
      }
      isWaiting.countDown();
      awaitFailure();
      if (hasFailed.compareAndSet(false, true)) {
        throw new StackOverflowError("too deep");
      }
      return assign(requests);
    }

    private boolean isLocked(List<AssignRequest> requests) {
      return !hasFailed.get() && requests.getFirst().config().name().equals("locked");
    }

    private void awaitFailure() {
      try {
        mayFail.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public List<Assignment> assign(List<AssignRequest> requests) {
      return ledger.assign(requests);
    }

    @Override
    public List<Adoption> adopt(String configName, List<AdoptRequest> requests, Overfull overfull) {
      return ledger.adopt(configName, requests, overfull);
    }

    @Override
    public Optional<Slot> find(String eventId) {
      return ledger.find(eventId);
    }

    @Override
    public Transition confirm(String eventId) {
      return ledger.confirm(eventId);
    }

    @Override
    public Transition cancel(String eventId) {
      return ledger.cancel(eventId);
    }

    @Override
    public List<Slot> list(SlotQuery query) {
      return ledger.list(query);
    }

    @Override
    public List<WindowCount> windows(WindowQuery query) {
      return ledger.windows(query);
    }

    @Override
    public ForecastResult forecast(SlotConfig config, Instant from, long events) {
      return ledger.forecast(config, from, events);
    }

    @Override
    public Instant now() {
      return ledger.now();
    }
  }
}
