package dev.weir;

import java.util.function.Supplier;

/**
 * Thrown if a store could not execute a request: it is unreachable, overloaded, or failed midway.
 *
 * <p>{@link #outcome} says what is known about the request. After {@link Outcome#UNKNOWN}, repeat
 * it with the same id: if it was executed, that result is found and it is not executed twice.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String store;
  private final Outcome outcome;
  private final boolean isFull;

  /** What happened to a request whose store failed. */
  public enum Outcome {
    /** Nothing was done. */
    NONE,
    /**
     * The request may have been executed: it was sent and not answered, or it failed after one of
     * its steps was completed.
     */
    UNKNOWN;

    public static Outcome of(boolean mayBeDone) {
      return mayBeDone ? UNKNOWN : NONE;
    }
  }

  public StoreException(Outcome outcome, String message) {
    this("", outcome, message);
  }

  /**
   * Creates the failure of a store that has a name.
   *
   * @param store the name of the store, such as {@code redis}; empty if it is not known
   */
  public StoreException(String store, Outcome outcome, String message) {
    super(message);
    this.store = store;
    this.outcome = outcome;
    this.isFull = false;
  }

  public StoreException(Outcome outcome, String message, Throwable cause) {
    this("", outcome, message, cause);
  }

  /** Creates the failure of a store that has a name. */
  public StoreException(String store, Outcome outcome, String message, Throwable cause) {
    super(message, cause);
    this.store = store;
    this.outcome = outcome;
    this.isFull = false;
  }

  /** Creates a failure with the store and capacity of another one that caused it. */
  private StoreException(Outcome outcome, StoreException cause) {
    super(cause.getMessage(), cause);
    this.store = cause.store;
    this.outcome = outcome;
    this.isFull = cause.isFull;
  }

  private StoreException(String message) {
    super(message);
    this.store = "";
    this.outcome = Outcome.NONE;
    this.isFull = true;
  }

  /**
   * Returns the exception of an in-memory store that has reached its capacity. The store continues
   * to serve what it holds.
   *
   * @param message what there is too much of
   */
  public static StoreException full(String message) {
    return new StoreException(message);
  }

  /**
   * Returns the failure of a call that several callers share, with the stack trace of the current
   * one. If the call failed for a reason other than its store, its outcome is unknown.
   */
  public static StoreException shared(RuntimeException failure) {
    return failure instanceof StoreException known
        ? known.withOutcome(known.outcome)
        : new StoreException(Outcome.UNKNOWN, String.valueOf(failure.getMessage()), failure);
  }

  /**
   * Runs a step of a request after an earlier step has been completed. If this one fails, the
   * outcome is unknown, because something has already been done.
   */
  public static <T> T afterDone(Supplier<T> step) {
    try {
      return step.get();
    } catch (StoreException e) {
      throw e.withOutcome(Outcome.UNKNOWN);
    }
  }

  /** Runs a step that changes nothing: if it fails, answered or not, nothing was done. */
  public static <T> T whileReading(Supplier<T> reading) {
    try {
      return reading.get();
    } catch (StoreException e) {
      throw e.outcome == Outcome.NONE ? e : e.withOutcome(Outcome.NONE);
    }
  }

  /** Returns a failure of the same store with another outcome, caused by this one. */
  public StoreException withOutcome(Outcome other) {
    return new StoreException(other, this);
  }

  /** Returns the name of the store that failed; empty if it is not known. */
  public String store() {
    return store;
  }

  /** Returns true if the store works but has no capacity for anything new. */
  public boolean isFull() {
    return isFull;
  }

  public Outcome outcome() {
    return outcome;
  }
}
