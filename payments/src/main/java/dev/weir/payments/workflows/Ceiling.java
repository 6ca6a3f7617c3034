package dev.weir.payments.workflows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The maximum rate of calls of the downstream, shared by all workers. Thread-safe. */
public interface Ceiling {
  /**
   * Asks for permission to call the downstream now.
   *
   * @param paymentId identifies the caller, whose place in the line of those who wait is kept
   */
  Admission enter(String paymentId);

  /** The result of {@link #enter}. */
  sealed interface Admission {}

  /** The downstream must not be called before the wait is over and permission was asked again. */
  record Wait(Duration duration) implements Admission {}

  /** Permission for one call. */
  non-sealed interface Permit extends Admission {
    /**
     * Returns false if too much time has passed since the permission was given, for example because
     * the process was suspended: then the call must not be sent.
     */
    boolean isValid();

    /**
     * Reports that the call does not arrive after now: it was answered, or is known to be lost.
     *
     * @param isDecided whether the downstream itself has decided about the payment, which shows
     *     that it works
     */
    void answered(boolean isDecided);

    /**
     * Reports that the call was given up while its connection is open.
     *
     * @param end see {@link Downstream.Answer.Unanswered}
     */
    void unanswered(CompletableFuture<Boolean> end);

    /** Reports that no call was sent. */
    void unused();
  }
}
