package dev.weir.client;

/** Whether a request to a service may pass. */
public sealed interface Authorization {
  /** It may pass. The reply has header fields for the service's own response. */
  record Granted(Reply reply) implements Authorization {}

  /** It may not pass, and nothing was taken. */
  record Refused(Problem problem, Reply reply) implements Authorization {}

  /** There is no decision; see {@link CheckResult.Undecided}. */
  record Undecided(WeirException failure) implements Authorization {
    /** Returns {@link Outcome#UNKNOWN} if it may have been counted. */
    public Outcome outcome() {
      return failure.outcome();
    }
  }
}
