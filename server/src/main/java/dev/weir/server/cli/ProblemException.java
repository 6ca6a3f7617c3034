package dev.weir.server.cli;

/** Thrown if the server refuses the request as a whole. */
final class ProblemException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Problem problem;

  public ProblemException(Problem problem) {
    super(problem.title());
    this.problem = problem;
  }

  public Problem problem() {
    return problem;
  }
}
