package dev.weir.workflows.payments;

import dev.weir.core.internal.Micros;
import dev.weir.engine.StoreException;
import dev.weir.engine.payments.Payment;
import dev.weir.engine.payments.PaymentCall;
import dev.weir.engine.payments.PaymentState;
import dev.weir.engine.payments.PaymentStore;
import dev.weir.engine.slots.SlotRequest;
import dev.weir.workflows.SlotSource;
import io.temporal.failure.ApplicationFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes payments: confirms the slot, asks the ceiling, calls the downstream and records the result.
 * Every step may be repeated after a crash: a slot can be confirmed twice, the downstream makes a
 * payment once, and the store keeps the first end. Thread-safe.
 */
final class PaymentExecution implements PaymentActivities {
  private static final Logger log = LoggerFactory.getLogger(PaymentExecution.class);

  /** The clocks of Temporal and of a worker may differ: a start this early is on time. */
  private static final Duration MAX_EARLY = Duration.ofSeconds(1);

  /** Between two requests for a slot while there is none. */
  private static final Duration NO_SLOT_WAIT = Duration.ofMinutes(1);

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
    if (store.isHeld(paymentId)) {
      // The workflow ends, so that a hold of any length costs nothing. When the payment is resumed,
      // the reconciler finds it without a workflow and starts another one.
      return Step.ENDED;
    }
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
    if (running.attempts() == 0) {
      Optional<Step> before = confirmSlot(payment);
      if (before.isPresent()) {
        return before.get();
      }
    }
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
          log.warn(
              "The result of payment {} is recorded later: {}",
              payment.paymentId(),
              e.getMessage());
          yield Step.unrecorded(report);
        }
      }
    };
  }

  /**
   * Confirms the slot. From here on the payment uses it: if it were confirmed only at the end, a
   * payment that waits or is retried would look like one that was never started, and its place
   * could be taken back and given to another one. If that has happened while no worker ran, or the
   * slot was cancelled by others, the payment gets a new one.
   *
   * @return what to do before the payment may be made; empty if it may be made now
   */
  private Optional<Step> confirmSlot(Payment payment) {
    String paymentId = payment.paymentId();
    Optional<Instant> held = slots.confirm(paymentId);
    if (held.isPresent()) {
      Duration early = Duration.between(clock.instant(), held.get());
      return early.compareTo(MAX_EARLY) > 0
          ? Optional.of(Step.waiting(early.toMillis()))
          : Optional.empty();
    }
    SlotRequest request = SlotRequest.now(paymentId, payment.configName());
    return switch (slots.assign(List.of(request)).getFirst()) {
      case SlotSource.PacedSlot.Assigned assigned -> {
        Instant time = assigned.scheduledTime();
        log.warn("Payment {} had lost its slot and has a new one at {}", paymentId, time);
        yield Optional.of(
            Step.waiting(Math.max(1, Duration.between(clock.instant(), time).toMillis())));
      }
      case SlotSource.PacedSlot.None none -> Optional.of(withoutSlot(paymentId, none.reason()));
    };
  }

  private Step withoutSlot(String paymentId, String reason) {
    Instant now = clock.instant();
    Instant since = store.withoutSlot(paymentId, now);
    if (now.isBefore(since.plus(attempts.maxTime()))) {
      log.warn("Payment {} has lost its slot and waits for one: {}", paymentId, reason);
      return Step.waiting(NO_SLOT_WAIT.toMillis());
    }
    String why =
        "given up without a call: it lost its slot and got no other one within %s: %s"
            .formatted(attempts.maxTime(), reason);
    if (store.failed(paymentId, now, PaymentCall.storable(why))) {
      observer.ended(PaymentState.FAILED);
    }
    return Step.ENDED;
  }

  private Report call(Payment payment, Ceiling.Permit permit) {
    Instant calledAt = clock.instant();
    Downstream.Answer answer = downstream.pay(payment);
    Instant answeredAt = clock.instant();
    Duration retryAfter = Duration.ZERO;
    PaymentCall.Result result;
    String detail;
    switch (answer) {
      case Downstream.Answer.Paid paid -> {
        permit.answered(true);
        result = PaymentCall.Result.PAID;
        detail = paid.reference();
      }
      case Downstream.Answer.Rejected rejected -> {
        permit.answered(true);
        result = PaymentCall.Result.REJECTED;
        detail = rejected.reason();
      }
      case Downstream.Answer.Retry retry -> {
        permit.answered(false);
        result = retry.isTooMany() ? PaymentCall.Result.TOO_MANY : PaymentCall.Result.RETRY;
        detail = retry.reason();
        retryAfter = retry.after();
      }
      case Downstream.Answer.Unknown unknown -> {
        if (unknown.mayArriveLater()) {
          permit.unanswered(CompletableFuture.completedFuture(false));
        } else {
          permit.answered(false);
        }
        result = PaymentCall.Result.UNKNOWN;
        detail = unknown.reason();
      }
      case Downstream.Answer.Unanswered unanswered -> {
        permit.unanswered(unanswered.end());
        result = PaymentCall.Result.UNKNOWN;
        detail = unanswered.reason();
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
      case REJECTED -> end(refused(call), PaymentState.FAILED);
      case RETRY, TOO_MANY, UNKNOWN -> {
        Instant firstCall = store.firstCall(call.paymentId()).orElse(call.calledAt());
        if (!call.answeredAt().isBefore(firstCall.plus(attempts.maxTime()))) {
          yield end(givenUp(call, calls), PaymentState.FAILED);
        }
        store.attempted(call);
        yield Step.waiting(
            Math.max(report.retryAfterMillis(), attempts.waitAfter(calls).toMillis()));
      }
    };
  }

  /**
   * Returns the last call. Who reads that a payment has failed must know if that is not certain.
   */
  private PaymentCall givenUp(PaymentCall call, int calls) {
    boolean mayBeMade =
        call.result() == PaymentCall.Result.UNKNOWN || store.hasUnknownCall(call.paymentId());
    return withDetail(
        call,
        "given up after %d calls%s: %s"
            .formatted(calls, mayBeMade ? ", and may have been made" : "", call.detail()));
  }

  /** Returns the last call. A downstream may refuse what it has made by an earlier one. */
  private PaymentCall refused(PaymentCall call) {
    return store.hasUnknownCall(call.paymentId())
        ? withDetail(call, "refused, and may have been made by an earlier call: " + call.detail())
        : call;
  }

  private static PaymentCall withDetail(PaymentCall call, String detail) {
    return new PaymentCall(
        call.paymentId(), call.calledAt(), call.answeredAt(), call.result(), detail);
  }

  private Step end(PaymentCall call, PaymentState state) {
    if (store.ended(call, state)) {
      observer.ended(state);
    }
    return Step.ENDED;
  }

  /** Ends the slot of a payment that had ended. */
  private Step settle(String paymentId, PaymentState state) {
    switch (state) {
      case PAID, FAILED -> {
        // It was confirmed before the first call.
      }
      case CANCELLED, REJECTED -> slots.cancel(paymentId);
      case SCHEDULED, RUNNING ->
          throw new IllegalArgumentException("payment %s is still open".formatted(paymentId));
    }
    return Step.ENDED;
  }
}
