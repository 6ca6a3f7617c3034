package dev.weir.server.http;

import java.util.Map;

/**
 * A request that is answered by a problem: thrown by endpoints and filters, caught in one place.
 */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Problem problem;
  private final transient Map<String, String> headers;

  public ProblemException(Problem problem) {
    this(problem, Map.of());
  }

  /**
   * @param headers what the answer must carry besides, such as {@code Retry-After}
   */
  public ProblemException(Problem problem, Map<String, String> headers) {
    // Expected outcomes of wrong requests: a stack trace would cost more than the request.
    super(problem.detail(), null, false, false);
    this.problem = problem;
    this.headers = Map.copyOf(headers);
  }

  public Problem problem() {
    return problem;
  }

  Map<String, String> headers() {
    return headers;
  }
}
