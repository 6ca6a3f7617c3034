package dev.weir.client;

/** Thrown if the server answers with a problem for which a method has no value. */
public final class ProblemException extends WeirException {
  private static final long serialVersionUID = 1L;

  private final transient Problem problem;
  private final transient Reply reply;

  ProblemException(Problem problem, Reply reply, Outcome outcome) {
    super(problem.text(), outcome);
    this.problem = problem;
    this.reply = reply;
  }

  public Problem problem() {
    return problem;
  }

  /** Returns the whole answer. */
  public Reply reply() {
    return reply;
  }

  @Override
  ProblemException afterUnknown() {
    ProblemException unknown = new ProblemException(problem, reply, Outcome.UNKNOWN);
    unknown.initCause(this);
    return unknown;
  }
}
