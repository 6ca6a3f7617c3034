package dev.weir.workflows;

import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.util.concurrent.TimeUnit;

/** A connection to a Temporal server. */
public final class TemporalConnection implements AutoCloseable {
  private static final int CLOSE_SECONDS = 5;

  private final WorkflowServiceStubs stubs;
  private final WorkflowClient client;

  private TemporalConnection(WorkflowServiceStubs stubs, String namespace) {
    this.stubs = stubs;
    this.client =
        WorkflowClient.newInstance(
            stubs, WorkflowClientOptions.newBuilder().setNamespace(namespace).build());
  }

  /**
   * Where a Temporal server is.
   *
   * @param serviceAddress host and port
   * @param usesTls whether the connection is encrypted; a key implies it
   * @param apiKey the key of an account; empty for none
   */
  public record Settings(String serviceAddress, String namespace, boolean usesTls, String apiKey) {
    /** Returns the settings without the key. */
    @Override
    public String toString() {
      return "Settings[serviceAddress=%s, namespace=%s]".formatted(serviceAddress, namespace);
    }
  }

  /** Opens a connection. It connects on first use, and again after each loss. */
  public static TemporalConnection open(Settings settings) {
    WorkflowServiceStubsOptions.Builder options =
        WorkflowServiceStubsOptions.newBuilder().setTarget(settings.serviceAddress());
    if (settings.usesTls() || !settings.apiKey().isEmpty()) {
      options.setEnableHttps(true);
    }
    if (!settings.apiKey().isEmpty()) {
      options.addApiKey(settings::apiKey);
    }
    return on(WorkflowServiceStubs.newServiceStubs(options.build()), settings.namespace());
  }

  /** Returns a connection by stubs, which it closes when it is closed. */
  public static TemporalConnection on(WorkflowServiceStubs stubs, String namespace) {
    return new TemporalConnection(stubs, namespace);
  }

  public WorkflowClient client() {
    return client;
  }

  @Override
  public void close() {
    stubs.shutdown();
    stubs.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    stubs.shutdownNow();
  }
}
