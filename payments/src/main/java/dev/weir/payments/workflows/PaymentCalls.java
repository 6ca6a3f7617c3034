package dev.weir.payments.workflows;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.workflows.PaymentActivities.Report;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the downstream. A call is recorded before it is sent, and the record says that it may have
 * made the payment until its answer is known, so a process that ends in between leaves no doubt
 * that it began. Thread-safe.
 */
final class PaymentCalls {
  private static final Logger log = LoggerFactory.getLogger(PaymentCalls.class);

  private final PaymentStore store;
  private final Downstream downstream;
  private final Attempts attempts;
  private final InstantSource clock;
  private final PaymentObserver observer;

  PaymentCalls(PaymentParts parts) {
    this.store = parts.store();
    this.downstream = parts.downstream();
    this.attempts = parts.attempts();
    this.clock = parts.clock();
    this.observer = parts.observer();
  }

  /**
   * Calls the downstream once.
   *
   * @param knownCalls the number of calls of which the caller knows
   * @return the result, which is yet to be recorded; empty if there was no call, because the
   *     payment must not be called any more, or not now
   */
  Optional<Report> call(Payment payment, int knownCalls, Ceiling.Permit permit) {
    Optional<Instant> begun = begin(payment, knownCalls, permit);
    if (begun.isEmpty()) {
      permit.unused();
      return Optional.empty();
    }
    if (!permit.isValid()) {
      permit.unused();
      store.withdrawCall(payment.paymentId(), begun.get());
      return Optional.empty();
    }
    return Optional.of(send(payment, begun.get(), permit));
  }

  private Optional<Instant> begin(Payment payment, int knownCalls, Ceiling.Permit permit) {
    boolean isDone = false;
    try {
      Optional<Instant> begun =
          store.beginCall(
              payment.paymentId(),
              knownCalls,
              LeaseCeiling.MAX_HESITATION.plus(downstream.maxCallTime()),
              attempts.maxTime());
      isDone = true;
      return begun;
    } finally {
      if (!isDone) {
        permit.unused();
      }
    }
  }

  private Report send(Payment payment, Instant calledAt, Ceiling.Permit permit) {
    Instant sentAt = clock.instant();
    Downstream.Answer answer = downstream.pay(payment);
    Result result = result(answer);
    switch (answer) {
      case Downstream.Answer.Paid paid -> permit.answered(true);
      case Downstream.Answer.Contradicted contradicted -> permit.answered(true);
      case Downstream.Answer.Rejected rejected -> permit.answered(true);
      case Downstream.Answer.Retry retry -> permit.answered(false);
      case Downstream.Answer.Unknown unknown -> {
        if (unknown.mayArriveLater()) {
          permit.unanswered(CompletableFuture.completedFuture(false));
        } else {
          permit.answered(false);
        }
      }
      case Downstream.Answer.Unanswered unanswered -> {
        permit.unanswered(unanswered.end());
        CompletableFuture<Void> unused =
            unanswered
                .late()
                .thenAccept(late -> recordLate(payment, calledAt, since(sentAt), result(late)));
      }
    }
    Duration time = since(sentAt);
    observer.called(result.kind(), time);
    return new Report(
        payment.paymentId(),
        Micros.ceil(calledAt),
        Micros.ceil(calledAt.plus(time)),
        result.kind().name(),
        PaymentCall.storable(result.detail()),
        result.retryAfter().toMillis());
  }

  private Duration since(Instant sentAt) {
    Duration time = Duration.between(sentAt, clock.instant());
    return time.isNegative() ? Duration.ZERO : time;
  }

  private record Result(PaymentCall.Result kind, String detail, Duration retryAfter) {}

  private static Result result(Downstream.Answer answer) {
    return switch (answer) {
      case Downstream.Answer.Paid paid ->
          new Result(PaymentCall.Result.PAID, paid.reference(), Duration.ZERO);
      case Downstream.Answer.Contradicted contradicted ->
          new Result(PaymentCall.Result.CONTRADICTED, contradicted.reason(), Duration.ZERO);
      case Downstream.Answer.Rejected rejected ->
          new Result(PaymentCall.Result.REJECTED, rejected.reason(), Duration.ZERO);
      case Downstream.Answer.Retry retry ->
          new Result(
              retry.isTooMany() ? PaymentCall.Result.TOO_MANY : PaymentCall.Result.RETRY,
              retry.reason(),
              retry.after());
      case Downstream.Answer.Unknown unknown ->
          new Result(PaymentCall.Result.UNKNOWN, unknown.reason(), unknown.after());
      case Downstream.Answer.Unanswered unanswered ->
          new Result(PaymentCall.Result.UNKNOWN, unanswered.reason(), Duration.ZERO);
    };
  }

  /**
   * Records an answer that came after its call was given up. One that says that the payment is made
   * ends it. Any other one only says that this call has not made it, and the next call decides.
   */
  private void recordLate(Payment payment, Instant calledAt, Duration time, Result late) {
    PaymentCall call =
        new PaymentCall(
            payment.paymentId(), calledAt, calledAt.plus(time), late.kind(), late.detail());
    try {
      switch (late.kind()) {
        case PAID -> {
          if (store.ended(call, PaymentState.PAID)) {
            observer.ended(PaymentState.PAID);
          }
        }
        case REJECTED, RETRY, TOO_MANY, CONTRADICTED -> store.attempted(call);
        case UNKNOWN -> {
          // It says no more than the record does.
        }
      }
    } catch (StoreException e) {
      log.warn(
          "A late answer about payment {} is not recorded, so it is asked again: {}",
          payment.paymentId(),
          e.getMessage());
    }
  }
}
