package dev.weir.payments.server;

import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import java.util.Optional;

/** The payments of this node, which it has only if it has a database. */
public final class PaymentAccess {
  private final Optional<PaymentBackend> backend;
  private final boolean takesFeeds;

  private PaymentAccess(Optional<PaymentBackend> backend, boolean takesFeeds) {
    this.backend = backend;
    this.takesFeeds = takesFeeds;
  }

  public static PaymentAccess to(PaymentBackend backend) {
    return new PaymentAccess(Optional.of(backend), true);
  }

  /** Returns access on a node that knows of no payment API: it takes no feeds. */
  public static PaymentAccess withoutApi(PaymentBackend backend) {
    return new PaymentAccess(Optional.of(backend), false);
  }

  /** Returns access on a node without payments: every request is answered with a problem. */
  public static PaymentAccess none() {
    return new PaymentAccess(Optional.empty(), false);
  }

  /** Returns whether this node takes feeds: it has a database and knows of a payment API. */
  public boolean takesFeeds() {
    return takesFeeds;
  }

  /**
   * Returns what the endpoints stand on.
   *
   * @throws ProblemException if this node has no payments
   */
  PaymentBackend backend() {
    return backend.orElseThrow(
        () ->
            new ProblemException(
                Problem.of(
                    404,
                    "payments-disabled",
                    "This node has no payments, because it has no database.")));
  }

  /**
   * Returns what takes feeds.
   *
   * @throws ProblemException if this node has no payments, or knows of no payment API
   */
  PaymentBackend receiving() {
    PaymentBackend known = backend();
    if (!takesFeeds) {
      throw PaymentProblems.noApi();
    }
    return known;
  }
}
