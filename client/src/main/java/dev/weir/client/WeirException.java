package dev.weir.client;

/** Thrown if a call has no result. {@link #outcome} says whether it may have been done. */
public abstract sealed class WeirException extends RuntimeException
    permits ProblemException, UnansweredException {
  private static final long serialVersionUID = 1L;

  private final Outcome outcome;

  WeirException(String message, Outcome outcome, Throwable cause) {
    super(message, cause);
    this.outcome = outcome;
  }

  WeirException(String message, Outcome outcome) {
    super(message);
    this.outcome = outcome;
  }

  /** Returns whether the call may have been done, in any of its attempts. */
  public final Outcome outcome() {
    return outcome;
  }

  /** Returns the same failure of a call of which an earlier attempt may have been done. */
  abstract WeirException afterUnknown();
}
