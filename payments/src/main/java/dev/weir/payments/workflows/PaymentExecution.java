package dev.weir.payments.workflows;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStore;
import dev.weir.slots.SlotRequest;
import dev.weir.workflows.SlotSource;
import io.temporal.failure.ApplicationFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes payments: confirms the slot, asks the gate and the ceiling, calls the downstream and
 * records the result. Every step may be repeated after a crash: a slot can be confirmed twice, a
 * call is recorded before it is sent, the downstream makes a payment once, and the store keeps the
 * first end.
 *
 * <p>A payment is called for a limited time after its first call, because a downstream remembers
 * the ids of payments for a limited time only. That is decided before each call, by the clock of
 * the store. Thread-safe.
 */
final class PaymentExecution implements PaymentActivities {
  private static final Logger log = LoggerFactory.getLogger(PaymentExecution.class);

  /** The clocks of Temporal and of a worker may differ: a start this early is on time. */
  private static final Duration MAX_EARLY = Duration.ofSeconds(1);

  /** A call that is made this long after its slot is still the one that the slot is for. */
  private static final Duration MAX_LATE = Duration.ofSeconds(10);

  /** Between two requests for a slot while there is none. */
  private static final Duration NO_SLOT_WAIT = Duration.ofMinutes(1);

  /** How long a payment whose time is over waits for a place for its last look-up. */
  static final Duration MAX_LAST_LOOK_UP = Duration.ofHours(1);

  /** Something has changed since it was looked at. */
  private static final Step AGAIN = Step.waiting(1);

  private final PaymentStore store;
  private final Ceiling ceiling;
  private final CallGate gate;
  private final Downstream downstream;
  private final SlotSource slots;
  private final Attempts attempts;
  private final PaymentCalls calls;
  private final PaymentObserver observer;

  PaymentExecution(PaymentParts parts) {
    this.store = parts.store();
    this.ceiling = parts.ceiling();
    this.gate = parts.gate();
    this.downstream = parts.downstream();
    this.slots = parts.slots();
    this.attempts = parts.attempts();
    this.calls = new PaymentCalls(parts);
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
    PaymentStore.PastCalls past = running.calls();
    if (past.inProgressUntil().isPresent()) {
      // Its worker may still record the answer, or has died; then it is unknown.
      return waiting(Duration.between(running.now(), past.inProgressUntil().get()).plusMillis(1));
    }
    Optional<Instant> deadline = past.first().map(attempts::deadline);
    if (deadline.isPresent() && !running.now().isBefore(deadline.get())) {
      return giveUp(running, deadline.get());
    }
    Step step = past.count() == 0 ? payFirst(running) : payNow(running, true);
    return deadline
        .map(end -> step.within(Duration.between(running.now(), end).toMillis()))
        .orElse(step);
  }

  /**
   * Confirms the slot and pays. From here on the payment uses its slot: if it were confirmed only
   * at the end, a payment that waits or is retried would look like one that was never started, and
   * its place could be taken back and given to another one. If that has happened while no worker
   * ran, or the slot was cancelled by others, the payment gets a new one.
   */
  private Step payFirst(PaymentStore.Beginning.Running running) {
    Optional<Instant> slot = slots.confirm(running.payment().paymentId());
    if (slot.isEmpty()) {
      return assignSlot(running);
    }
    Duration early = Duration.between(running.now(), slot.get());
    return early.compareTo(MAX_EARLY) > 0
        ? waiting(early)
        : payNow(running, early.negated().compareTo(MAX_LATE) > 0);
  }

  /**
   * @param isLate whether the call is not the one that the slot of the payment is for
   */
  private Step payNow(PaymentStore.Beginning.Running running, boolean isLate) {
    return switch (gate.enter(running.payment(), running.now(), isLate)) {
      case CallGate.Closed closed -> waiting(closed.duration());
      case CallGate.Open open -> {
        Optional<Step> before = lookUp(running);
        if (before.isPresent()) {
          open.notCalled();
        }
        yield before.orElseGet(() -> call(running, open));
      }
    };
  }

  private Step call(PaymentStore.Beginning.Running running, CallGate.Open open) {
    Payment payment = running.payment();
    return switch (ceiling.enter(payment.paymentId())) {
      case Ceiling.Wait wait -> {
        open.notCalled();
        observer.waits();
        yield waiting(wait.duration());
      }
      case Ceiling.Permit permit -> {
        Optional<Report> report = calls.call(payment, running.calls().count(), permit);
        if (report.isEmpty()) {
          open.notCalled();
          yield AGAIN;
        }
        open.called(report.get().time());
        yield recordOrKeep(report.get(), running);
      }
    };
  }

  private Step recordOrKeep(Report report, PaymentStore.Beginning.Running running) {
    try {
      return record(report, running.calls().first(), running.calls().count() + 1);
    } catch (StoreException e) {
      log.warn(
          "The result of payment {} is recorded later: {}", report.paymentId(), e.getMessage());
      return Step.unrecorded(report);
    }
  }

  /**
   * Asks what became of a call whose result is unknown, if the downstream offers that.
   *
   * @return what to do before the payment may be called again; empty if it may be called now
   */
  private Optional<Step> lookUp(PaymentStore.Beginning.Running running) {
    Optional<Instant> unknown = running.calls().unknown();
    if (unknown.isEmpty() || !downstream.hasLookUp()) {
      return Optional.empty();
    }
    return switch (ceiling.enter(running.payment().paymentId())) {
      case Ceiling.Wait wait -> Optional.of(placeless(wait));
      case Ceiling.Permit permit -> lookUp(running, unknown.get(), permit);
    };
  }

  private Step placeless(Ceiling.Wait wait) {
    observer.waits();
    return waiting(wait.duration());
  }

  /**
   * @param unknown when the call was begun that is asked about
   */
  private Optional<Step> lookUp(
      PaymentStore.Beginning.Running running, Instant unknown, Ceiling.Permit permit) {
    String paymentId = running.payment().paymentId();
    Downstream.LookUp found = downstream.lookUp(running.payment());
    permit.unanswered(CompletableFuture.completedFuture(false));
    return switch (found) {
      case Downstream.LookUp.Made made ->
          Optional.of(
              end(
                  new PaymentCall(
                      paymentId, unknown, running.now(), PaymentCall.Result.PAID, made.reference()),
                  PaymentState.PAID));
      case Downstream.LookUp.NotKnown notKnown -> Optional.empty();
      case Downstream.LookUp.Unclear unclear -> {
        log.debug("Payment {} is not called again yet: {}", paymentId, unclear.reason());
        yield Optional.of(waiting(attempts.waitAfter(running.calls().count())));
      }
    };
  }

  /**
   * Ends a payment that has been tried for too long. There is no further call, only a look-up,
   * which waits for its place under the ceiling.
   *
   * @param deadline when its time was over
   */
  private Step giveUp(PaymentStore.Beginning.Running running, Instant deadline) {
    PaymentStore.PastCalls past = running.calls();
    if (past.unknown().isPresent() && downstream.hasLookUp()) {
      switch (ceiling.enter(running.payment().paymentId())) {
        case Ceiling.Wait wait -> {
          if (running.now().isBefore(deadline.plus(MAX_LAST_LOOK_UP))) {
            return placeless(wait);
          }
        }
        case Ceiling.Permit permit -> {
          Optional<Step> found =
              lookUp(running, past.unknown().get(), permit)
                  .filter(step -> step.kind() == Kind.ENDED);
          if (found.isPresent()) {
            return found.get();
          }
        }
      }
    }
    String reason = givenUp(past.count(), past.unknown().isPresent(), past.lastDetail());
    String paymentId = running.payment().paymentId();
    if (store.failed(paymentId, running.now(), PaymentCall.storable(reason))) {
      observer.ended(PaymentState.FAILED);
    }
    return Step.ENDED;
  }

  private static Step waiting(Duration wait) {
    return Step.waiting(Math.max(1, wait.toMillis()));
  }

  /** Requests another slot for a payment that has lost its own. */
  private Step assignSlot(PaymentStore.Beginning.Running running) {
    String paymentId = running.payment().paymentId();
    Instant now = running.now();
    SlotRequest request = SlotRequest.now(paymentId, running.payment().configName());
    return switch (slots.assign(List.of(request)).getFirst()) {
      case SlotSource.PacedSlot.Assigned assigned -> {
        Instant time = assigned.scheduledTime();
        log.warn("Payment {} had lost its slot and has a new one at {}", paymentId, time);
        yield waiting(Duration.between(now, time));
      }
      case SlotSource.PacedSlot.None none -> withoutSlot(running, none.reason());
    };
  }

  private Step withoutSlot(PaymentStore.Beginning.Running running, String reason) {
    String paymentId = running.payment().paymentId();
    Instant now = running.now();
    Instant since = store.withoutSlot(paymentId, now);
    if (now.isBefore(since.plus(attempts.maxTime()))) {
      log.warn("Payment {} has lost its slot and waits for one: {}", paymentId, reason);
      return Step.waiting(NO_SLOT_WAIT.toMillis());
    }
    String why =
        "given up %s: it lost its slot and got no other one within %s: %s"
            .formatted(
                // Its calls may have been lost with a state of the database.
                running.calls().unknown().isPresent()
                    ? "without a call that is known, and may have been made"
                    : "without a call",
                attempts.maxTime(),
                reason);
    if (store.failed(paymentId, now, PaymentCall.storable(why))) {
      observer.ended(PaymentState.FAILED);
    }
    return Step.ENDED;
  }

  @Override
  public Step record(Report report) {
    return switch (begin(report.paymentId())) {
      case PaymentStore.Beginning.Running running ->
          record(report, running.calls().first(), running.calls().count());
      case PaymentStore.Beginning.Ended ended -> settle(report.paymentId(), ended.state());
    };
  }

  /**
   * Records the result of a call.
   *
   * @param first when the first call was begun; empty if it is this one
   * @param count the number of calls with this one
   */
  private Step record(Report report, Optional<Instant> first, int count) {
    PaymentCall call =
        new PaymentCall(
            report.paymentId(),
            Micros.instant(report.calledAtMicros()),
            Micros.instant(report.answeredAtMicros()),
            PaymentCall.Result.valueOf(report.result()),
            report.detail());
    return switch (call.result()) {
      case PAID -> end(call, PaymentState.PAID);
      case REJECTED -> end(refused(call), PaymentState.FAILED);
      case CONTRADICTED ->
          end(
              withDetail(call, "needs attention, and may have been made: " + call.detail()),
              PaymentState.FAILED);
      case RETRY, TOO_MANY, UNKNOWN -> {
        Instant deadline = attempts.deadline(first.orElse(call.calledAt()));
        if (!call.answeredAt().isBefore(deadline)) {
          boolean mayBeMade =
              call.result() == PaymentCall.Result.UNKNOWN || hasOtherUnknownCall(call);
          yield end(
              withDetail(call, givenUp(count, mayBeMade, call.detail())), PaymentState.FAILED);
        }
        store.attempted(call);
        yield Step.waiting(
                Math.max(report.retryAfterMillis(), attempts.waitAfter(count).toMillis()))
            .within(Duration.between(call.answeredAt(), deadline).toMillis());
      }
    };
  }

  private boolean hasOtherUnknownCall(PaymentCall call) {
    return store.hasUnknownCall(call.paymentId(), call.calledAt());
  }

  /** Who reads that a payment has failed must know if that is not certain. */
  private static String givenUp(int calls, boolean mayBeMade, String lastDetail) {
    return "given up after %d calls%s: %s"
        .formatted(calls, mayBeMade ? ", and may have been made" : "", lastDetail);
  }

  /** Returns the last call. A downstream may refuse what it has made by an earlier one. */
  private PaymentCall refused(PaymentCall call) {
    return hasOtherUnknownCall(call)
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
