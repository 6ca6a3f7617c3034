package dev.weir.http.bodies;

import dev.weir.http.problems.Problem;
import java.io.IOException;

/** Thrown if a body is not chunked or compressed as its headers declare. */
public final class BrokenBodyException extends IOException {
  /** The answer to such a request. */
  public static final Problem PROBLEM =
      Problem.of(400, "bad-request", "The body is not chunked or compressed as its headers say.");

  private static final long serialVersionUID = 1L;

  BrokenBodyException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Returns true if a body was not chunked or compressed as its headers declare. */
  public static boolean isIn(Throwable exception) {
    return exception instanceof BrokenBodyException
        || exception.getCause() instanceof BrokenBodyException;
  }
}
