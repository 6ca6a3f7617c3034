package dev.weir.client;

/** The result of an attempt to cancel a slot, a deferred message or a payment. */
public sealed interface Cancellation {
  /** It is cancelled, now or already before. */
  record Cancelled() implements Cancellation {}

  /** It is too late: the work has started or ended. */
  record TooLate(Problem problem) implements Cancellation {}

  /** There is nothing of that id. */
  record Unknown() implements Cancellation {}

  /** Sends a call that cancels. */
  static Cancellation of(Transport transport, Call call) {
    try {
      transport.sendForNothing(call);
      return new Cancelled();
    } catch (ProblemException refused) {
      Problem problem = refused.problem();
      if (problem.is("unknown-event")
          || problem.is("unknown-message")
          || problem.is("unknown-payment")) {
        return new Unknown();
      }
      if (problem.is("state-conflict") || problem.is("not-deferred")) {
        return new TooLate(problem);
      }
      throw refused;
    }
  }
}
