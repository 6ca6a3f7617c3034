package dev.weir.workflows.embedded;

import dev.weir.workflows.TemporalConnection;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.testserver.TestServer;
import java.time.Duration;

/**
 * Temporal's test server, in memory, without a port, in real time. It loses its workflows when it
 * is closed or the process ends; who needs them has to start them again.
 */
public final class EmbeddedTemporal implements AutoCloseable {
  private static final String NAMESPACE = "default";

  /** For the first call of a connection, on a machine that has much else to do. */
  private static final Duration MAX_FIRST_CALL = Duration.ofMinutes(1);

  private final TestServer.InProcessTestServer server;
  private final TemporalConnection connection;

  private EmbeddedTemporal(TestServer.InProcessTestServer server) {
    this.server = server;
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
    return new EmbeddedTemporal(TestServer.createServer(true));
  }

  public TemporalConnection connection() {
    return connection;
  }

  @Override
  public void close() {
    connection.close();
    server.close();
  }
}
