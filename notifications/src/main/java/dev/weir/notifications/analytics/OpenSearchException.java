package dev.weir.notifications.analytics;

/** Thrown if OpenSearch does not answer, or refuses a request. The message contains no secrets. */
public final class OpenSearchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The status of a request without an answer. */
  private static final int NO_ANSWER = 0;

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

  /** Returns true if the same request would be refused again, because of what it contains. */
  boolean isAboutContent() {
    return status == 400 || status == 413;
  }
}
