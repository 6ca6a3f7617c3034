package dev.weir.payments.workflows;

import dev.weir.workflows.TemporalConnection;
import java.time.Duration;

/**
 * Payments on a connection to Temporal: a worker that runs until it is closed, and what it needs.
 */
public final class PaymentService implements AutoCloseable {
  private final Payments payments;
  private final PaymentReconciler reconciler;
  private final PaymentWorker worker;

  private PaymentService(Payments payments, PaymentReconciler reconciler, PaymentWorker worker) {
    this.payments = payments;
    this.reconciler = reconciler;
    this.worker = worker;
  }

  /**
   * Starts the worker. The connection and the parts stay open when the service is closed.
   *
   * @param grace the time after its slot at which a payment should have ended
   * @throws RuntimeException if Temporal cannot be reached
   */
  public static PaymentService start(
      TemporalConnection temporal, PaymentParts parts, Duration grace) {
    return new PaymentService(
        new Payments(temporal.client(), parts),
        new PaymentReconciler(temporal.client(), parts, grace),
        PaymentWorker.start(temporal.client(), parts));
  }

  public Payments payments() {
    return payments;
  }

  /** Returns the reconciler, which its caller runs from time to time, on one thread. */
  public PaymentReconciler reconciler() {
    return reconciler;
  }

  @Override
  public void close() {
    worker.close();
  }
}
