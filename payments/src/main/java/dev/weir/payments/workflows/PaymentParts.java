package dev.weir.payments.workflows;

import dev.weir.payments.PaymentStore;
import dev.weir.workflows.SlotSource;
import java.time.Duration;
import java.time.InstantSource;

/**
 * What the payments stand on.
 *
 * @param gate what else decides when a payment may be called
 * @param taskQueue the queue of the payments' workers
 * @param clock the time from which delays count, which all nodes share: that of the store; in tests
 *     with skipped time that of Temporal's test server. It does not fail.
 */
public record PaymentParts(
    PaymentStore store,
    SlotSource slots,
    Ceiling ceiling,
    CallGate gate,
    Downstream downstream,
    Attempts attempts,
    String taskQueue,
    InstantSource clock,
    PaymentObserver observer) {
  /** Shorter than the time that a worker has for an attempt. */
  private static final Duration MAX_CALL_TIME = Duration.ofMinutes(2);

  public PaymentParts {
    if (downstream.maxCallTime().compareTo(MAX_CALL_TIME) > 0) {
      throw new IllegalArgumentException(
          "a call of the downstream must take up to %s, not %s"
              .formatted(MAX_CALL_TIME, downstream.maxCallTime()));
    }
  }

  /** Creates parts that are not observed. */
  public PaymentParts(
      PaymentStore store,
      SlotSource slots,
      Ceiling ceiling,
      CallGate gate,
      Downstream downstream,
      Attempts attempts,
      String taskQueue,
      InstantSource clock) {
    this(store, slots, ceiling, gate, downstream, attempts, taskQueue, clock, PaymentObserver.NONE);
  }
}
