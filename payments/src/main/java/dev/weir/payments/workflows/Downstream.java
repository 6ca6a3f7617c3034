package dev.weir.payments.workflows;

import dev.weir.payments.Payment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The system that makes payments. Calls with the same payment id make the payment once.
 * Implementations are thread-safe and block the calling thread for up to {@link #maxCallTime}.
 */
public interface Downstream extends AutoCloseable {
  /** Asks for a payment to be made. Returns every outcome as a value. */
  Answer pay(Payment payment);

  /** Returns true if {@link #lookUp} may be called. */
  default boolean hasLookUp() {
    return false;
  }

  /** Asks whether a payment was made, without making it. Returns every outcome as a value. */
  default LookUp lookUp(Payment payment) {
    throw new UnsupportedOperationException("there is no look-up");
  }

  /** Returns the time after which a call has been given up by its caller. */
  Duration maxCallTime();

  @Override
  void close();

  /** The outcome of a call. */
  sealed interface Answer {
    /**
     * The payment is made, by this call or by an earlier one.
     *
     * @param reference the downstream's own id of the payment; may be empty
     */
    record Paid(String reference) implements Answer {}

    /**
     * The downstream answers that it has made a payment, but another one than this: this one may
     * have been made, and calling again would not tell.
     */
    record Contradicted(String reason) implements Answer {}

    /** Refused for good: calling again would not help. */
    record Rejected(String reason) implements Answer {}

    /**
     * Not made; it may be tried again.
     *
     * @param after the wait that the downstream asks for; zero if it names none
     * @param isTooMany whether it got more calls than it allows
     */
    record Retry(Duration after, String reason, boolean isTooMany) implements Answer {
      /** Creates the outcome of a call that was not one too many. */
      public Retry(Duration after, String reason) {
        this(after, reason, false);
      }
    }

    /**
     * No usable answer: the payment may have been made, or is being made by an earlier call.
     *
     * @param after the wait that the downstream asks for; zero if it names none
     * @param mayArriveLater false if the call is certain to have arrived, or to be lost
     */
    record Unknown(Duration after, String reason, boolean mayArriveLater) implements Answer {
      /** Creates the outcome of a call whose answer names no wait. */
      public Unknown(String reason, boolean mayArriveLater) {
        this(Duration.ZERO, reason, mayArriveLater);
      }
    }

    /**
     * No answer in time, and the connection is still open: the payment may have been made, and the
     * downstream may have yet to look at the call, for example because it is suspended.
     *
     * @param end completes with true when the downstream has answered after all, and with false
     *     when the connection has ended, after which the call can still be on its way for a short
     *     time only. Nobody waits for it any more if it is cancelled or fails: then the connection
     *     is closed.
     * @param late completes with the answer if that comes after all
     */
    record Unanswered(String reason, CompletableFuture<Boolean> end, CompletableFuture<Answer> late)
        implements Answer {}
  }

  /** The outcome of a look-up. */
  sealed interface LookUp {
    /**
     * The payment is made.
     *
     * @param reference the downstream's own id of the payment; may be empty
     */
    record Made(String reference) implements LookUp {}

    /** The downstream does not know the payment. */
    record NotKnown() implements LookUp {}

    /**
     * Neither is certain.
     *
     * @param after the wait that the downstream asks for; zero if it names none
     * @param mayArriveLater false if the look-up is certain to have arrived, or to be lost
     */
    record Unclear(Duration after, String reason, boolean mayArriveLater) implements LookUp {
      /** Creates the outcome of a look-up whose answer names no wait. */
      public Unclear(String reason, boolean mayArriveLater) {
        this(Duration.ZERO, reason, mayArriveLater);
      }
    }

    /**
     * No answer in time, and the connection is still open.
     *
     * @param end see {@link Answer.Unanswered}
     */
    record Unanswered(String reason, CompletableFuture<Boolean> end) implements LookUp {}
  }
}
