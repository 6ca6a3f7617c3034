package dev.weir.workflows;

import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.time.Duration;
import java.util.Optional;
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
   * @param tls how the connection is encrypted; empty if it is not
   * @param apiKey the key of an account, which is sent only over TLS; empty for none
   */
  public record Settings(
      String serviceAddress, String namespace, Optional<TemporalTls> tls, String apiKey) {
    public Settings {
      if (tls.isEmpty() && !apiKey.isEmpty()) {
        throw new IllegalArgumentException("an API key needs TLS");
      }
    }

    /** Returns the settings of a server without encryption, such as one for development. */
    public static Settings plain(String serviceAddress, String namespace) {
      return new Settings(serviceAddress, namespace, Optional.empty(), "");
    }

    /** Returns the settings without the key. */
    @Override
    public String toString() {
      return "Settings[serviceAddress=%s, namespace=%s]".formatted(serviceAddress, namespace);
    }
  }

  /**
   * Opens a connection. It connects on first use, and again after each loss.
   *
   * @throws IllegalArgumentException if a file of TLS is unusable
   */
  public static TemporalConnection open(Settings settings) {
    WorkflowServiceStubsOptions.Builder options =
        WorkflowServiceStubsOptions.newBuilder().setTarget(settings.serviceAddress());
    settings.tls().ifPresent(tls -> tls.applyTo(options));
    if (!settings.apiKey().isEmpty()) {
      options.addApiKey(settings::apiKey);
    }
    return on(WorkflowServiceStubs.newServiceStubs(options.build()), settings.namespace());
  }

  /** Returns a connection by stubs, which it closes when it is closed. */
  public static TemporalConnection on(WorkflowServiceStubs stubs, String namespace) {
    return new TemporalConnection(stubs, namespace);
  }

  /** Returns why the server cannot be reached within a time; empty if it can. */
  public Optional<String> problem(Duration maxWait) {
    try {
      stubs.connect(maxWait);
      return Optional.empty();
    } catch (RuntimeException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
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
