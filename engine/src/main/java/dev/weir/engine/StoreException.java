package dev.weir.engine;

import java.util.function.Supplier;

/**
 * A store could not do what was asked: it cannot be reached, is overloaded, or broke off.
 *
 * <p>{@link #outcome} says what is known about the request. After {@link Outcome#UNKNOWN}, repeat
 * it with the same id: what was done is then found, and not done a second time.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Outcome outcome;
  private final boolean isFull;

  /** What became of a request whose store failed. */
  public enum Outcome {
    /** Nothing was done. */
    NONE,
    /**
     * It may have been done: it was sent and not answered, or it failed after one of its steps was
     * done.
     */
    UNKNOWN;

    public static Outcome of(boolean mayBeDone) {
      return mayBeDone ? UNKNOWN : NONE;
    }
  }

  public StoreException(Outcome outcome, String message) {
    super(message);
    this.outcome = outcome;
    this.isFull = false;
  }

  public StoreException(Outcome outcome, String message, Throwable cause) {
    super(message, cause);
    this.outcome = outcome;
    this.isFull = cause instanceof StoreException failure && failure.isFull;
  }

  private StoreException(String message) {
    super(message);
    this.outcome = Outcome.NONE;
    this.isFull = true;
  }

  /**
   * A store in memory keeps as much as it may, and has no room for more; what it has it goes on
   * with.
   *
   * @param message what there is too much of
   */
  public static StoreException full(String message) {
    return new StoreException(message);
  }

  /**
   * The failure of a call that several callers share, with the stack trace of one of them. If the
   * call failed by anything but its store, how far it got is unknown.
   */
  public static StoreException shared(RuntimeException failure) {
    Outcome outcome = failure instanceof StoreException told ? told.outcome : Outcome.UNKNOWN;
    return new StoreException(outcome, String.valueOf(failure.getMessage()), failure);
  }

  /**
   * Runs a step of a request after another one was done. If this one fails, it is no longer true
   * that nothing was done.
   */
  public static <T> T afterDone(Supplier<T> step) {
    try {
      return step.get();
    } catch (StoreException e) {
      throw new StoreException(Outcome.UNKNOWN, String.valueOf(e.getMessage()), e);
    }
  }

  /** Runs something that changes nothing: if it fails, answered or not, nothing was done. */
  public static <T> T whileReading(Supplier<T> reading) {
    try {
      return reading.get();
    } catch (StoreException e) {
      throw e.outcome == Outcome.NONE
          ? e
          : new StoreException(Outcome.NONE, String.valueOf(e.getMessage()), e);
    }
  }

  /** Whether the store is well, and only has no room for something new. */
  public boolean isFull() {
    return isFull;
  }

  public Outcome outcome() {
    return outcome;
  }
}
