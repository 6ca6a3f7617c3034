package dev.weir.payments;

/** Thrown if so many records of a feed are wrong that the feed as a whole is. */
public final class TooManyRejectsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public TooManyRejectsException(int max) {
    super("more than " + max + " of its records are rejected");
  }
}
