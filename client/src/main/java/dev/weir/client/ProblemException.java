package dev.weir.client;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Thrown if the server answers with a problem for which a method has no value. */
public final class ProblemException extends WeirException {
  private static final long serialVersionUID = 1L;

  /** Of a message. {@link Problem#errors} has all of them. */
  private static final int MAX_FIELDS = 5;

  private final transient Problem problem;
  private final transient Reply reply;

  ProblemException(Problem problem, Reply reply, Outcome outcome) {
    super(message(problem), outcome);
    this.problem = problem;
    this.reply = reply;
  }

  /** Returns title and detail, and the fields that are wrong. */
  private static String message(Problem problem) {
    return Stream.concat(
            Stream.of(problem.text()),
            problem.errors().stream()
                .limit(MAX_FIELDS)
                .map(error -> "%s: %s.".formatted(error.field(), error.message())))
        .collect(Collectors.joining(" "));
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
