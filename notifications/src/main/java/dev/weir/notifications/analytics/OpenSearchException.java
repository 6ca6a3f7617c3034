package dev.weir.notifications.analytics;

/**
 * Thrown if OpenSearch does not answer, refuses a request, or answers something else than it was
 * asked. The message contains no secrets.
 */
public final class OpenSearchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The status of a request without an answer. */
  private static final int NO_ANSWER = 0;

  /** The status of an answer that is not one of OpenSearch. */
  private static final int OF_ANOTHER = -1;

  private final int status;

  OpenSearchException(String message) {
    super(message);
    this.status = NO_ANSWER;
  }

  OpenSearchException(String message, Throwable cause) {
    super(message, cause);
    this.status = NO_ANSWER;
  }

  OpenSearchException(String message, int status) {
    super(message);
    this.status = status;
  }

  /** Returns the exception of an answer that is not one of OpenSearch to what it was asked. */
  static OpenSearchException unexpected(String message) {
    return new OpenSearchException(message, OF_ANOTHER);
  }

  /**
   * Returns true if there was an answer, but not one of OpenSearch to what it was asked: another
   * program may be at its address.
   */
  public boolean isUnexpectedAnswer() {
    return status == OF_ANOTHER;
  }

  /** Returns true if the same request would be refused again, because of what it contains. */
  boolean isAboutContent() {
    return status == 400 || status == 413;
  }
}
