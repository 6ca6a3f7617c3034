package dev.weir.payments.workflows;

import dev.weir.internal.WatchedBody;
import java.net.http.HttpRequest;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Why an HTTP call has no answer.
 *
 * @param isUnreachable whether nothing was sent, because there was no connection
 */
record HttpFailure(boolean isUnreachable, String reason) {
  static HttpFailure of(HttpRequest request, ExecutionException failed) {
    @Nullable Throwable cause = failed.getCause();
    return new HttpFailure(
        WatchedBody.isUnsent(request, cause), reason(cause == null ? failed : cause));
  }

  /** The JDK's failure has no message if the connection is refused. */
  private static String reason(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
