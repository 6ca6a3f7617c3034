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
import java.util.function.LongSupplier;
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
  private final LongSupplier nanoTime;

  PaymentExecution(PaymentParts parts) {
    this(parts, System::nanoTime);
  }

  PaymentExecution(PaymentParts parts, LongSupplier nanoTime) {
    this.store = parts.store();
    this.ceiling = parts.ceiling();
    this.gate = parts.gate();
    this.downstream = parts.downstream();
    this.slots = parts.slots();
    this.attempts = parts.attempts();
    this.calls = new PaymentCalls(parts, nanoTime);
    this.observer = parts.observer();
    this.nanoTime = nanoTime;
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
   * Looks the payment up if that has to be done before the call, and calls.
   *
   * @param isLate whether the call is not the one that the slot of the payment is for
   */
  private Step payNow(PaymentStore.Beginning.Running running, boolean isLate) {
    if (!isLookedUp(running)) {
      return callThroughGate(running, running.now(), isLate);
    }
    // The gate is asked twice: nothing is looked up while it is closed, and a look-up may take as
    // long as a call, after which the permission would be too old.
    return switch (gate.enter(running.payment(), running.now(), isLate)) {
      case CallGate.Closed closed -> waiting(closed.duration());
      case CallGate.Open open -> {
        open.notCalled();
        yield switch (inquire(running)) {
          case Inquiry.Postponed postponed -> postponed.step();
          case Inquiry.Answered answered ->
              settle(running, answered.found())
                  .orElseGet(() -> callThroughGate(running, store.now(), isLate));
        };
      }
    };
  }

  private Step callThroughGate(
      PaymentStore.Beginning.Running running, Instant now, boolean isLate) {
    long askedNanos = nanoTime.getAsLong();
    return switch (gate.enter(running.payment(), now, isLate)) {
      case CallGate.Closed closed -> waiting(closed.duration());
      case CallGate.Open open -> call(running, open, askedNanos);
    };
  }

  /**
   * @param askedNanos before the gate was asked
   */
  private Step call(PaymentStore.Beginning.Running running, CallGate.Open open, long askedNanos) {
    Payment payment = running.payment();
    Optional<Ceiling.Admission> admission = Optional.empty();
    try {
      admission = Optional.of(ceiling.enter(payment.paymentId()));
    } finally {
      if (admission.isEmpty()) {
        open.notCalled();
      }
    }
    return switch (admission.get()) {
      case Ceiling.Wait wait -> {
        open.notCalled();
        yield placeless(wait);
      }
      case Ceiling.Permit permit ->
          calls
              .call(
                  payment,
                  running.calls().count(),
                  new PaymentCalls.Permission(open, permit, askedNanos))
              .map(report -> recordOrKeep(report, running))
              .orElse(AGAIN);
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

  /** Returns true if the payment may have been made, and the downstream can be asked. */
  private boolean isLookedUp(PaymentStore.Beginning.Running running) {
    return running.calls().unknown().isPresent() && downstream.hasLookUp();
  }

  /** What came of asking what became of a call whose result is unknown. */
  private sealed interface Inquiry {
    /** Nothing was asked: there was no place under the ceiling, or it was used too late. */
    record Postponed(Step step) implements Inquiry {}

    record Answered(Downstream.LookUp found) implements Inquiry {}
  }

  private Inquiry inquire(PaymentStore.Beginning.Running running) {
    long askedNanos = nanoTime.getAsLong();
    return switch (ceiling.enter(running.payment().paymentId())) {
      case Ceiling.Wait wait -> new Inquiry.Postponed(placeless(wait));
      case Ceiling.Permit permit -> {
        boolean isSent = false;
        try {
          isSent = calls.mayBeSent(permit, askedNanos);
        } finally {
          // Also if that cannot be told: the place is taken for as long as a downstream may pause.
          if (!isSent) {
            permit.unused();
          }
        }
        if (!isSent) {
          yield new Inquiry.Postponed(AGAIN);
        }
        Downstream.LookUp found = downstream.lookUp(running.payment());
        endPlace(permit, found);
        yield new Inquiry.Answered(found);
      }
    };
  }

  private Step placeless(Ceiling.Wait wait) {
    observer.waits();
    return waiting(wait.duration());
  }

  /** A look-up without an answer may arrive later, as a call may. */
  private static void endPlace(Ceiling.Permit permit, Downstream.LookUp found) {
    switch (found) {
      case Downstream.LookUp.Made made -> permit.answered(false);
      case Downstream.LookUp.NotKnown notKnown -> permit.answered(false);
      case Downstream.LookUp.Unclear unclear -> {
        if (unclear.mayArriveLater()) {
          permit.unanswered(CompletableFuture.completedFuture(false));
        } else {
          permit.answered(false);
        }
      }
      case Downstream.LookUp.Unanswered unanswered -> permit.unanswered(unanswered.end());
    }
  }

  /**
   * Returns what to do after a look-up before the payment may be called again; empty if it may be
   * called now.
   */
  private Optional<Step> settle(PaymentStore.Beginning.Running running, Downstream.LookUp found) {
    String paymentId = running.payment().paymentId();
    // The calls that a restore has lost are in no report, but the look-up is.
    Instant calledAt =
        running.calls().count() == 0 ? running.now() : running.calls().unknown().orElseThrow();
    return switch (found) {
      case Downstream.LookUp.Made made ->
          Optional.of(
              end(
                  new PaymentCall(
                      paymentId,
                      calledAt,
                      running.now(),
                      PaymentCall.Result.PAID,
                      made.reference()),
                  PaymentState.PAID));
      case Downstream.LookUp.NotKnown notKnown -> Optional.empty();
      case Downstream.LookUp.Unclear unclear ->
          Optional.of(lookUpAgain(running, unclear.reason(), unclear.after()));
      case Downstream.LookUp.Unanswered unanswered ->
          Optional.of(lookUpAgain(running, unanswered.reason(), Duration.ZERO));
    };
  }

  private Step lookUpAgain(PaymentStore.Beginning.Running running, String reason, Duration after) {
    log.debug("Payment {} is not called again yet: {}", running.payment().paymentId(), reason);
    Duration ago = Duration.between(running.calls().unknown().orElseThrow(), running.now());
    Duration wait = attempts.waitSince(ago);
    return waiting(wait.compareTo(after) < 0 ? after : wait);
  }

  /**
   * Ends a payment that has been tried for too long. There is no further call, only a look-up,
   * which waits for its place under the ceiling.
   *
   * @param deadline when its time was over
   */
  private Step giveUp(PaymentStore.Beginning.Running running, Instant deadline) {
    PaymentStore.PastCalls past = running.calls();
    if (isLookedUp(running)) {
      switch (inquire(running)) {
        case Inquiry.Postponed postponed -> {
          if (running.now().isBefore(deadline.plus(MAX_LAST_LOOK_UP))) {
            return postponed.step();
          }
        }
        case Inquiry.Answered answered -> {
          if (answered.found() instanceof Downstream.LookUp.Made made) {
            return settle(running, made).orElseThrow();
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
        store.withSlot(paymentId);
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
      case PaymentStore.Beginning.Ended ended -> {
        // What ended it, such as a cancellation, did not know what became of the call.
        store.attempted(call(report));
        yield settle(report.paymentId(), ended.state());
      }
    };
  }

  private static PaymentCall call(Report report) {
    return new PaymentCall(
        report.paymentId(),
        Micros.instant(report.calledAtMicros()),
        Micros.instant(report.answeredAtMicros()),
        PaymentCall.Result.valueOf(report.result()),
        report.detail());
  }

  /**
   * Records the result of a call.
   *
   * @param first when the first call was begun; empty if it is this one
   * @param count the number of calls with this one
   */
  private Step record(Report report, Optional<Instant> first, int count) {
    PaymentCall call = call(report);
    return switch (call.result()) {
      case PAID -> end(call, PaymentState.PAID);
      case REJECTED -> end(refused(call), PaymentState.FAILED);
      case CONTRADICTED -> end(PaymentCalls.needingAttention(call), PaymentState.FAILED);
      case RETRY, TOO_MANY, UNKNOWN -> {
        Instant deadline = attempts.deadline(first.orElse(call.calledAt()));
        if (!call.answeredAt().isBefore(deadline)) {
          boolean mayBeMade =
              call.result() == PaymentCall.Result.UNKNOWN || hasOtherUnknownCall(call);
          if (mayBeMade && downstream.hasLookUp()) {
            store.attempted(call);
            // Then it is looked up a last time.
            yield AGAIN;
          }
          yield end(
              PaymentCalls.withDetail(call, givenUp(count, mayBeMade, call.detail())),
              PaymentState.FAILED);
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
        ? PaymentCalls.withDetail(
            call, "refused, and may have been made by an earlier call: " + call.detail())
        : call;
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
