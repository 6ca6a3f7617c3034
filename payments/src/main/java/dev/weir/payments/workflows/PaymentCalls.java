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
import java.util.function.LongSupplier;
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
  private final LongSupplier nanoTime;

  PaymentCalls(PaymentParts parts, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.store = parts.store();
    this.downstream = parts.downstream();
    this.attempts = parts.attempts();
    this.clock = parts.clock();
    this.observer = parts.observer();
  }

  /**
   * Permission to call the downstream once, of the gate and of the ceiling.
   *
   * @param askedNanos before it was asked for
   */
  record Permission(CallGate.Open gate, Ceiling.Permit ceiling, long askedNanos) {
    void unused() {
      ceiling.unused();
      gate.notCalled();
    }
  }

  /**
   * Returns false if a call must not be sent any more: too much time has passed since permission
   * was asked for, so that it could arrive when others have the places.
   *
   * @param askedNanos before permission was asked for
   */
  boolean mayBeSent(Ceiling.Permit permit, long askedNanos) {
    // The permit may have to ask others. Nothing that can take long follows the look at the time.
    return permit.isValid()
        && nanoTime.getAsLong() - askedNanos < LeaseCeiling.MAX_HESITATION.toNanos();
  }

  /**
   * Calls the downstream once.
   *
   * @param knownCalls the number of calls of which the caller knows
   * @return the result, which is yet to be recorded; empty if there was no call, because the
   *     payment must not be called any more, or not now
   */
  Optional<Report> call(Payment payment, int knownCalls, Permission permission) {
    Optional<Begun> begun = Optional.empty();
    try {
      begun = begin(payment, knownCalls, permission);
    } finally {
      if (begun.isEmpty()) {
        permission.unused();
      }
    }
    return begun.map(call -> send(payment, call, permission));
  }

  /**
   * A call that was recorded and is to be sent.
   *
   * @param at when it was recorded, by the clock of the store
   * @param sentAt the time right before it is sent
   */
  private record Begun(Instant at, Instant sentAt) {}

  private Optional<Begun> begin(Payment payment, int knownCalls, Permission permission) {
    Optional<Instant> at =
        store.beginCall(
            payment.paymentId(),
            knownCalls,
            LeaseCeiling.MAX_HESITATION.plus(downstream.maxCallTime()),
            attempts.maxTime());
    if (at.isEmpty()) {
      return Optional.empty();
    }
    // The clock may have to ask the database.
    Instant sentAt = clock.instant();
    if (!mayBeSent(permission.ceiling(), permission.askedNanos())) {
      store.withdrawCall(payment.paymentId(), at.get());
      return Optional.empty();
    }
    return Optional.of(new Begun(at.get(), sentAt));
  }

  private Report send(Payment payment, Begun call, Permission permission) {
    Ceiling.Permit permit = permission.ceiling();
    Instant calledAt = call.at();
    Instant sentAt = call.sentAt();
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
    permission.gate().called(time);
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

  /** Returns a call after whose answer the downstream has perhaps made another payment. */
  static PaymentCall needingAttention(PaymentCall call) {
    return withDetail(call, "needs attention, and may have been made: " + call.detail());
  }

  static PaymentCall withDetail(PaymentCall call, String detail) {
    return new PaymentCall(
        call.paymentId(), call.calledAt(), call.answeredAt(), call.result(), detail);
  }

  /**
   * Records an answer that came after its call was given up. One that says that the payment is
   * made, or that another one is, ends it. Any other one only says that this call has not made it,
   * and the next call decides.
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
        case CONTRADICTED -> {
          if (store.ended(needingAttention(call), PaymentState.FAILED)) {
            observer.ended(PaymentState.FAILED);
          }
        }
        case REJECTED, RETRY, TOO_MANY -> store.attempted(call);
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
