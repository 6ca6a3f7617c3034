package dev.weir.payments.workflows;

import dev.weir.workflows.PacedStarter;
import dev.weir.workflows.SlotSource;
import io.temporal.client.WorkflowClient;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactory;
import io.temporal.worker.WorkerFactoryOptions;
import io.temporal.worker.WorkerOptions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/** A worker that runs the workflows of feeds and payments until it is closed. */
public final class PaymentWorker implements AutoCloseable {
  /** Longer than a call of a downstream usually takes. */
  private static final Duration DRAIN = Duration.ofSeconds(15);

  private final WorkerFactory factory;

  private PaymentWorker(WorkerFactory factory) {
    this.factory = factory;
  }

  /**
   * Starts a worker. The client stays open when it is closed.
   *
   * @throws RuntimeException if Temporal cannot be reached
   */
  public static PaymentWorker start(WorkflowClient client, PaymentParts parts) {
    return start(
        client,
        parts,
        StepTimes.of(parts.downstream()),
        FeedSizes.DEFAULT,
        WorkerOptions.newBuilder());
  }

  static PaymentWorker start(
      WorkflowClient client,
      PaymentParts parts,
      StepTimes times,
      FeedSizes sizes,
      WorkerOptions.Builder options) {
    WorkerFactory factory =
        WorkerFactory.newInstance(
            client, WorkerFactoryOptions.newBuilder().setUsingVirtualWorkflowThreads(true).build());
    Worker worker =
        factory.newWorker(parts.taskQueue(), options.setUsingVirtualThreads(true).build());
    registerWorkflows(worker, times);
    worker.registerActivitiesImplementations(
        new FeedStart(
            parts.store(),
            parts.slots(),
            starter(client, new OwnSlots(parts.slots(), parts.store()::now), parts.clock()),
            new PaymentStarts(client, parts.taskQueue()),
            parts.observer(),
            sizes),
        new PaymentExecution(parts));
    boolean isStarted = false;
    try {
      factory.start();
      isStarted = true;
      return new PaymentWorker(factory);
    } finally {
      if (!isStarted) {
        factory.shutdownNow();
      }
    }
  }

  static void registerWorkflows(Worker worker, StepTimes times) {
    worker.registerWorkflowImplementationFactory(
        FeedStartWorkflow.class, () -> new FeedStartRun(times));
    worker.registerWorkflowImplementationFactory(
        SinglePaymentWorkflow.class, () -> new SinglePaymentRun(times));
  }

  /**
   * Payments confirm their slots when they have ended, and the store knows whether they have. A
   * slot can be confirmed by others too, which must not keep a payment from being made.
   */
  static PacedStarter starter(WorkflowClient client, SlotSource slots, InstantSource clock) {
    return PacedStarter.builder(client, slots)
        .clock(clock)
        .confirms(false)
        .startsConfirmed(true)
        .workflowIdPrefix(PaymentStarts.ID_PREFIX)
        .build();
  }

  /** Waits for the calls in progress, and gives up those that take too long. */
  @Override
  public void close() {
    factory.shutdown();
    factory.awaitTermination(DRAIN.toMillis(), TimeUnit.MILLISECONDS);
    factory.shutdownNow();
  }
}
