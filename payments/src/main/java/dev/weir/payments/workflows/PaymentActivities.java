package dev.weir.payments.workflows;

import dev.weir.internal.Micros;
import io.temporal.activity.ActivityInterface;
import java.time.Duration;
import java.util.List;

/** What {@link SinglePaymentWorkflow} does outside of its history. */
@ActivityInterface
public interface PaymentActivities {
  /** Calls the downstream if the ceiling permits it, and records the result. */
  Step pay(String paymentId);

  /** Records the result of a call that could not be recorded when it was made. */
  Step record(Report report);

  /**
   * What is to be done next: wait and pay again, record a result, or nothing.
   *
   * @param waitMillis time until the next attempt
   * @param unrecorded the result of a call that could not be recorded; empty for none
   */
  record Step(Kind kind, long waitMillis, List<Report> unrecorded) {
    static final Step ENDED = new Step(Kind.ENDED, 0, List.of());

    static Step waiting(long millis) {
      return new Step(Kind.WAIT, millis, List.of());
    }

    /** Returns this step with a wait that is no longer than some time. */
    Step within(long maxMillis) {
      return waitMillis <= maxMillis ? this : new Step(kind, Math.max(1, maxMillis), unrecorded);
    }

    static Step unrecorded(Report report) {
      return new Step(Kind.RECORD, 0, List.of(report));
    }
  }

  /** Kinds of steps. */
  enum Kind {
    /** The payment has ended, and its end is recorded. */
    ENDED,
    /** The payment is to be tried again after a wait. */
    WAIT,
    /** A result is to be recorded. */
    RECORD
  }

  /**
   * The result of a call.
   *
   * @param result name of a {@link dev.weir.payments.PaymentCall.Result}
   * @param detail the downstream's reference, or a reason
   * @param retryAfterMillis the wait that the downstream asked for
   */
  record Report(
      String paymentId,
      long calledAtMicros,
      long answeredAtMicros,
      String result,
      String detail,
      long retryAfterMillis) {
    /** Returns how long the call took. */
    Duration time() {
      return Micros.duration(answeredAtMicros - calledAtMicros);
    }
  }
}
