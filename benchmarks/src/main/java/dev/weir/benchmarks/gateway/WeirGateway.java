package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.FreePort;
import dev.weir.benchmarks.ServerProcess;
import dev.weir.benchmarks.Wrk;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * A Weir server in a separate process, with a gateway to one upstream and one rule on all paths.
 */
final class WeirGateway implements AutoCloseable {
  private final ServerProcess process;
  private final int port;

  private WeirGateway(ServerProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts the server.
   *
   * @param more settings as environment variables
   * @param rule the rule, as JSON
   */
  static WeirGateway start(URI upstream, Map<String, String> more, String rule)
      throws IOException, InterruptedException {
    int port = FreePort.find();
    Map<String, String> settings = new HashMap<>(more);
    settings.put("WEIR_SLOTS_STORE", "memory");
    settings.put("WEIR_GATEWAY_PORT", Integer.toString(port));
    settings.put("WEIR_GATEWAY_ROUTES", "/** = " + upstream);
    WeirGateway weir = new WeirGateway(ServerProcess.start("-Xmx512m", settings), port);
    weir.process.createRule(rule);
    return weir;
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Warms the server up with requests that it answers itself. */
  void warmUp(Wrk wrk, Duration time) throws IOException, InterruptedException {
    wrk.run(process.address().resolve("/health/live"), time);
  }

  /** Returns the number of requests that wait in queues. */
  double waiting() throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(process.address().resolve("/metrics")).build(),
              HttpResponse.BodyHandlers.ofLines())
          .body()
          .filter(line -> line.startsWith("rate_limiter_queue_waiting "))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
          .findFirst()
          .orElseThrow();
    }
  }

  double residentMegabytes() throws IOException {
    return process.residentMegabytes();
  }

  @Override
  public void close() {
    process.close();
  }
}
