package dev.weir.payments;

/** Thrown if a feed is sent under the id of another one that was received earlier. */
public final class OtherFeedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public OtherFeedException(String feedId) {
    super(
        "feed %s was received earlier with other records or another configName".formatted(feedId));
  }
}
