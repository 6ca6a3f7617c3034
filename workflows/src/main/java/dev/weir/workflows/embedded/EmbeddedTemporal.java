package dev.weir.workflows.embedded;

import dev.weir.workflows.TemporalConnection;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.testserver.TestServer;
import java.time.Duration;
import java.time.InstantSource;

/**
 * Temporal's test server, in memory, without a port, in real time. It loses its workflows when it
 * is closed or the process ends; who needs them has to start them again.
 *
 * <p>It goes by the clock of this machine. While that is ahead, workflows that wait are given times
 * which come only when the clock is there again, if it is set back. So {@link #isOutOfTime} says
 * that another server should take its place.
 */
public final class EmbeddedTemporal implements AutoCloseable {
  private static final String NAMESPACE = "default";

  /** For the first call of a connection, on a machine that has much else to do. */
  private static final Duration MAX_FIRST_CALL = Duration.ofMinutes(1);

  private final TestServer.InProcessTestServer server;
  private final TemporalConnection connection;
  private final ClockWatch clock;

  private EmbeddedTemporal(TestServer.InProcessTestServer server, ClockWatch clock) {
    this.server = server;
    this.clock = clock;
    this.connection =
        TemporalConnection.on(
            WorkflowServiceStubs.newServiceStubs(
                WorkflowServiceStubsOptions.newBuilder()
                    .setChannel(server.getChannel())
                    .setSystemInfoTimeout(MAX_FIRST_CALL)
                    .build()),
            NAMESPACE);
  }

  /** Starts a server. */
  public static EmbeddedTemporal start() {
    return start(InstantSource.system());
  }

  /**
   * Starts a server.
   *
   * @param clock the clock of this machine
   */
  public static EmbeddedTemporal start(InstantSource clock) {
    return new EmbeddedTemporal(
        TestServer.createServer(true), ClockWatch.start(clock, System::nanoTime));
  }

  /** Returns true if the clock was set since the start, so that workflows may wait for too long. */
  public boolean isOutOfTime() {
    return clock.wasSet();
  }

  public TemporalConnection connection() {
    return connection;
  }

  @Override
  public void close() {
    clock.close();
    try {
      connection.close();
    } finally {
      server.close();
    }
  }
}
