package dev.weir.workflows;

import dev.weir.core.internal.Micros;
import io.temporal.client.WorkflowClient;
import io.temporal.testing.TestWorkflowEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/**
 * Temporal's test server, whose clock jumps to the next timer while nothing runs. Everything that
 * has a clock uses this one, so a second is a second of the test.
 */
public final class SkippedTime implements InstantSource, AutoCloseable {
  private static final Duration STEP = Duration.ofSeconds(5);

  /** A wait of an hour need not look hundreds of times. */
  private static final Duration LONG_STEP = Duration.ofMinutes(1);

  private static final int STEPS = 12;

  private final TestWorkflowEnvironment environment = TestWorkflowEnvironment.newInstance();

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
    Instant end = instant().plus(max);
    for (int looks = 0; !condition.getAsBoolean(); looks++) {
      if (instant().isAfter(end)) {
        throw new AssertionError("%s did not happen within %s".formatted(what, max));
      }
      pass(looks < STEPS ? STEP : LONG_STEP);
    }
  }

  @Override
  public void close() {
    environment.close();
  }
}
