package dev.weir.payments;

/** Thrown if a feed was opened again while its records were being received. */
public final class ReceptionLostException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ReceptionLostException(String feedId) {
    super("feed %s is being received again by another request".formatted(feedId));
  }
}
