package dev.weir.payments.workflows;

import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Why an HTTP call has no answer.
 *
 * @param isUnreachable whether nothing was sent, because there was no connection
 */
record HttpFailure(boolean isUnreachable, String reason) {
  static HttpFailure of(ExecutionException failed) {
    @Nullable Throwable cause = failed.getCause();
    return new HttpFailure(
        cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException,
        reason(cause == null ? failed : cause));
  }

  /** The JDK's failure has no message if the connection is refused. */
  private static String reason(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
