package dev.weir.server.payments;

import dev.weir.server.http.Problem;
import dev.weir.server.http.ProblemException;
import java.util.Optional;

/** The payments of this node, which it has only if it has a database. */
public final class PaymentAccess {
  private final Optional<PaymentBackend> backend;

  private PaymentAccess(Optional<PaymentBackend> backend) {
    this.backend = backend;
  }

  public static PaymentAccess to(PaymentBackend backend) {
    return new PaymentAccess(Optional.of(backend));
  }

  /** Returns access on a node without payments: every request is answered with a problem. */
  public static PaymentAccess none() {
    return new PaymentAccess(Optional.empty());
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
}
