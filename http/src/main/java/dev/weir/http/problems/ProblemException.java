package dev.weir.http.problems;

import java.util.Map;

/**
 * Thrown by endpoints and filters to answer a request with a problem; the package {@code errors}
 * handles it.
 */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Problem problem;
  private final transient Map<String, String> headers;

  public ProblemException(Problem problem) {
    this(problem, Map.of());
  }

  /**
   * Creates an exception whose response has further headers.
   *
   * @param headers further headers of the response, such as {@code Retry-After}
   */
  public ProblemException(Problem problem, Map<String, String> headers) {
    // These are expected outcomes of invalid requests: a stack trace would cost more than the
    // request.
    super(problem.detail(), null, false, false);
    this.problem = problem;
    this.headers = Map.copyOf(headers);
  }

  public Problem problem() {
    return problem;
  }

  public Map<String, String> headers() {
    return headers;
  }
}
