package dev.weir.workflows.payments;

import dev.weir.core.internal.Micros;
import dev.weir.engine.StoreException;
import dev.weir.engine.payments.Payment;
import dev.weir.engine.payments.PaymentCall;
import dev.weir.engine.payments.PaymentState;
import dev.weir.engine.payments.PaymentStore;
import dev.weir.workflows.SlotSource;
import io.temporal.failure.ApplicationFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes payments: asks the ceiling, calls the downstream, records the result and confirms the slot.
 * Every step may be repeated after a crash: the downstream makes a payment once, the store keeps
 * the first end, and a slot can be confirmed twice. Thread-safe.
 */
final class PaymentExecution implements PaymentActivities {
  private static final Logger log = LoggerFactory.getLogger(PaymentExecution.class);

  private final PaymentStore store;
  private final Ceiling ceiling;
  private final Downstream downstream;
  private final SlotSource slots;
  private final Attempts attempts;
  private final InstantSource clock;
  private final PaymentObserver observer;

  PaymentExecution(PaymentParts parts) {
    this.store = parts.store();
    this.ceiling = parts.ceiling();
    this.downstream = parts.downstream();
    this.slots = parts.slots();
    this.attempts = parts.attempts();
    this.clock = parts.clock();
    this.observer = parts.observer();
  }

  @Override
  public Step pay(String paymentId) {
    return switch (begin(paymentId)) {
      case PaymentStore.Beginning.Running running -> pay(running);
      case PaymentStore.Beginning.Ended ended -> settle(paymentId, ended.state());
    };
  }

  private PaymentStore.Beginning begin(String paymentId) {
    Optional<PaymentStore.Beginning> beginning = store.begin(paymentId);
    if (beginning.isEmpty()) {
      // It was rejected after its workflow was started. Trying again would not bring it back.
      slots.cancel(paymentId);
      throw ApplicationFailure.newNonRetryableFailure(
          "there is no payment " + paymentId, "UnknownPayment");
    }
    return beginning.get();
  }

  private Step pay(PaymentStore.Beginning.Running running) {
    Payment payment = running.payment();
    return switch (ceiling.enter(payment.paymentId())) {
      case Ceiling.Wait wait -> {
        observer.waits();
        yield Step.waiting(Math.max(1, wait.duration().toMillis()));
      }
      case Ceiling.Permit permit -> {
        if (!permit.isValid()) {
          permit.unused();
          yield Step.waiting(1);
        }
        Report report = call(payment, permit);
        try {
          yield record(report, running.attempts());
        } catch (StoreException e) {
          log.warn("The result of payment {} is recorded later: {}", payment.paymentId(), e);
          yield Step.unrecorded(report);
        }
      }
    };
  }

  private Report call(Payment payment, Ceiling.Permit permit) {
    Instant calledAt = clock.instant();
    Downstream.Answer answer = downstream.pay(payment);
    Instant answeredAt = clock.instant();
    if (!(answer instanceof Downstream.Answer.Unknown unknown && unknown.mayArriveLater())) {
      permit.answered();
    }
    Duration retryAfter = Duration.ZERO;
    PaymentCall.Result result;
    String detail;
    switch (answer) {
      case Downstream.Answer.Paid paid -> {
        result = PaymentCall.Result.PAID;
        detail = paid.reference();
      }
      case Downstream.Answer.Rejected rejected -> {
        result = PaymentCall.Result.REJECTED;
        detail = rejected.reason();
      }
      case Downstream.Answer.Retry retry -> {
        result = PaymentCall.Result.RETRY;
        detail = retry.reason();
        retryAfter = retry.after();
      }
      case Downstream.Answer.Unknown unknown -> {
        result = PaymentCall.Result.UNKNOWN;
        detail = unknown.reason();
      }
    }
    observer.called(result, Duration.between(calledAt, answeredAt));
    return new Report(
        payment.paymentId(),
        Micros.ceil(calledAt),
        Micros.ceil(answeredAt),
        result.name(),
        PaymentCall.storable(detail),
        retryAfter.toMillis());
  }

  @Override
  public Step record(Report report) {
    return switch (begin(report.paymentId())) {
      case PaymentStore.Beginning.Running running -> record(report, running.attempts());
      case PaymentStore.Beginning.Ended ended -> settle(report.paymentId(), ended.state());
    };
  }

  private Step record(Report report, int earlierCalls) {
    PaymentCall call =
        new PaymentCall(
            report.paymentId(),
            Micros.instant(report.calledAtMicros()),
            Micros.instant(report.answeredAtMicros()),
            PaymentCall.Result.valueOf(report.result()),
            report.detail());
    int calls = earlierCalls + 1;
    return switch (call.result()) {
      case PAID -> end(call, PaymentState.PAID);
      case REJECTED -> end(call, PaymentState.FAILED);
      case RETRY, UNKNOWN -> {
        if (calls >= attempts.max()) {
          yield end(givenUp(call, calls), PaymentState.FAILED);
        }
        store.attempted(call);
        yield Step.waiting(
            Math.max(report.retryAfterMillis(), attempts.waitAfter(calls).toMillis()));
      }
    };
  }

  /**
   * Returns the last call. If one of them has an unknown result, the payment may have been made.
   */
  private static PaymentCall givenUp(PaymentCall call, int calls) {
    return new PaymentCall(
        call.paymentId(),
        call.calledAt(),
        call.answeredAt(),
        call.result(),
        "given up after %d calls: %s".formatted(calls, call.detail()));
  }

  private Step end(PaymentCall call, PaymentState state) {
    store.ended(call, state);
    observer.ended(state);
    return settle(call.paymentId(), state);
  }

  /** Ends the slot of a payment that has ended. */
  private Step settle(String paymentId, PaymentState state) {
    switch (state) {
      case PAID, FAILED -> slots.confirm(paymentId);
      case CANCELLED, REJECTED -> slots.cancel(paymentId);
      case SCHEDULED, RUNNING ->
          throw new IllegalArgumentException("payment %s is still open".formatted(paymentId));
    }
    return Step.ENDED;
  }
}
