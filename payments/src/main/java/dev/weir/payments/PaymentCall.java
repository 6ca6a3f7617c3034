package dev.weir.payments;

import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * A call of the downstream, as its caller saw it.
 *
 * @param calledAt right before it was sent, by the clock of the store, which tells it from others
 * @param answeredAt when its result was known
 * @param detail the downstream's reference if it was paid, the reason otherwise
 */
public record PaymentCall(
    String paymentId, Instant calledAt, Instant answeredAt, Result result, String detail) {
  /** Maximum length of a detail; the rest of a longer one is dropped. */
  public static final int MAX_DETAIL_LENGTH = 500;

  public PaymentCall {
    detail = storable(detail);
  }

  /**
   * Returns a detail as it is stored: cut, and without what a database or a message cannot contain,
   * such as half a surrogate pair. It comes from a remote system or an exception, and must not
   * prevent the record.
   */
  public static String storable(String detail) {
    String cut = detail.substring(0, Math.min(MAX_DETAIL_LENGTH, detail.length()));
    return new String(cut.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)
        .replace('\0', '?');
  }

  /** What the downstream answered. */
  public enum Result {
    PAID,
    /** Refused for good. */
    REJECTED,
    /** Not made now; it may be tried again. */
    RETRY,
    /** No answer: it may have been made. */
    UNKNOWN,
    /** Not made now, because the downstream got too many calls; it may be tried again. */
    TOO_MANY,
    /**
     * Answered as paid, but as another payment than this one: it may have been made, and calling
     * again would not tell.
     */
    CONTRADICTED
  }
}
