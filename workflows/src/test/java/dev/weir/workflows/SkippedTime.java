package dev.weir.workflows;

import dev.weir.internal.Micros;
import io.temporal.client.WorkflowClient;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.testing.TestEnvironmentOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.worker.WorkerOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * Temporal's test server, whose clock jumps to the next timer while nothing runs. Everything that
 * has a clock uses this one, so a second is a second of the test.
 */
public final class SkippedTime implements InstantSource, AutoCloseable {
  /** Of real time, if nothing can be skipped. */
  private static final Duration FIRST_STEP = Duration.ofMillis(250);

  /** Each step is this part of the wait before it, so that a wait of a day need not look often. */
  private static final int STEP_PART = 4;

  /** Of real time, for a call of the server: to let hours pass is one, with all that they bring. */
  private static final Duration MAX_CALL = Duration.ofMinutes(10);

  private final TestWorkflowEnvironment environment =
      TestWorkflowEnvironment.newInstance(
          TestEnvironmentOptions.newBuilder()
              .setWorkflowServiceStubsOptions(
                  WorkflowServiceStubsOptions.newBuilder()
                      .setRpcTimeout(MAX_CALL)
                      .setRpcQueryTimeout(MAX_CALL)
                      .setSystemInfoTimeout(MAX_CALL)
                      .build())
              .build());

  /** Returns options of a worker whose workflows a busy machine may stop for minutes. */
  public static WorkerOptions.Builder workerOptions() {
    return WorkerOptions.newBuilder().setDefaultDeadlockDetectionTimeout(MAX_CALL.toMillis());
  }

  public WorkflowClient client() {
    return environment.getWorkflowClient();
  }

  public TestWorkflowEnvironment environment() {
    return environment;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(environment.currentTimeMillis());
  }

  public long micros() {
    return Micros.ceil(instant());
  }

  /** Lets time pass. */
  public void pass(Duration duration) {
    environment.sleep(duration);
  }

  /**
   * Lets time pass until a condition holds.
   *
   * @throws AssertionError if it does not within {@code max}
   */
  public void await(String what, Duration max, BooleanSupplier condition) {
    await(what, max, condition, waited -> waited.dividedBy(STEP_PART));
  }

  /** Does the same in small steps, so that little else happens until then. */
  public void awaitClosely(String what, Duration max, BooleanSupplier condition) {
    await(what, max, condition, waited -> FIRST_STEP);
  }

  private void await(
      String what, Duration max, BooleanSupplier condition, UnaryOperator<Duration> steps) {
    Instant begin = instant();
    while (!condition.getAsBoolean()) {
      Duration waited = Duration.between(begin, instant());
      if (waited.compareTo(max) > 0) {
        throw new AssertionError("%s did not happen within %s".formatted(what, max));
      }
      Duration step = steps.apply(waited);
      pass(step.compareTo(FIRST_STEP) < 0 ? FIRST_STEP : step);
    }
  }

  @Override
  public void close() {
    environment.close();
  }
}
