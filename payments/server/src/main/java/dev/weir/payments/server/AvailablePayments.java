package dev.weir.payments.server;

import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import java.util.Optional;

/** The payments of this node, which it has only if it has a database. */
public final class AvailablePayments {
  private final Optional<PaymentServices> services;
  private final boolean takesFeeds;

  private AvailablePayments(Optional<PaymentServices> services, boolean takesFeeds) {
    this.services = services;
    this.takesFeeds = takesFeeds;
  }

  public static AvailablePayments to(PaymentServices services) {
    return new AvailablePayments(Optional.of(services), true);
  }

  /** Returns the payments of a node that knows of no payment API: it takes no feeds. */
  public static AvailablePayments withoutApi(PaymentServices services) {
    return new AvailablePayments(Optional.of(services), false);
  }

  /** Returns the payments of a node without them: every request is answered with a problem. */
  public static AvailablePayments none() {
    return new AvailablePayments(Optional.empty(), false);
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
  PaymentServices services() {
    return services.orElseThrow(
        () ->
            new ProblemException(
                Problem.of(
                    404,
                    "payments-disabled",
                    "This node has no payments, because it is not on PostgreSQL.")));
  }

  /**
   * Returns what takes feeds.
   *
   * @throws ProblemException if this node has no payments, or knows of no payment API
   */
  PaymentServices receiving() {
    PaymentServices known = services();
    if (!takesFeeds) {
      throw PaymentProblems.noApi();
    }
    return known;
  }
}
