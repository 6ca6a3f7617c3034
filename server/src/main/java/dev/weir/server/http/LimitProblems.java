package dev.weir.server.http;

import dev.weir.engine.StoreException;
import dev.weir.engine.rules.RateLimitFields;
import java.util.HashMap;
import java.util.Map;

/** Problems of limits whose store did not respond. */
public final class LimitProblems {
  private LimitProblems() {}

  /**
   * Returns the problem of a request that the store may have counted, because only its response is
   * missing.
   *
   * @param advice what the caller can do
   */
  public static ProblemException outcomeUnknown(long retryAfterMicros, String advice) {
    Map<String, String> headers = new HashMap<>();
    RateLimitFields.addRetryAfter(headers::put, retryAfterMicros);
    return new ProblemException(
        Problem.storeUnavailable(
            StoreException.Outcome.UNKNOWN,
            "The store of limits did not answer in time, or the connection to it broke. " + advice),
        headers);
  }
}
