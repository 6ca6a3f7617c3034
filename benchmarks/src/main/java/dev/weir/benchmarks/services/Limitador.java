package dev.weir.benchmarks.services;

import dev.weir.benchmarks.FreePort;
import dev.weir.benchmarks.RateLimitCall;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Limitador, which counts in memory or in Redis. */
final class Limitador implements Service {
  private static final String LIMITS =
      """
      - namespace: bench
        max_value: 1000000000
        seconds: 3600
        conditions: []
        variables:
          - "descriptors[0]['user']"
      """;

  private final PeerProcess process;
  private final Path limits;
  private final URI http;
  private final int grpcPort;

  private Limitador(PeerProcess process, Path limits, URI http, int grpcPort) {
    this.process = process;
    this.limits = limits;
    this.http = http;
    this.grpcPort = grpcPort;
  }

  /**
   * Starts the service.
   *
   * @param storage the arguments that choose where it counts
   */
  static Limitador start(Path program, List<String> storage)
      throws IOException, InterruptedException {
    int httpPort = FreePort.find();
    int grpcPort = FreePort.find();
    // It watches the folder of the file, so the file has a separate folder.
    Path limits = Files.createTempDirectory("weir-bench-limitador").resolve("limits.yaml");
    Files.writeString(limits, LIMITS);
    List<String> command = new ArrayList<>(List.of(program.toString(), limits.toString()));
    command.addAll(storage);
    Map<String, String> settings =
        Map.of(
            "HTTP_API_HOST",
            "127.0.0.1",
            "HTTP_API_PORT",
            Integer.toString(httpPort),
            "ENVOY_RLS_HOST",
            "127.0.0.1",
            "ENVOY_RLS_PORT",
            Integer.toString(grpcPort));
    PeerProcess process = PeerProcess.start(command, settings, List.of(httpPort, grpcPort));
    return new Limitador(
        process, limits, URI.create("http://127.0.0.1:" + httpPort + "/"), grpcPort);
  }

  @Override
  public String name() {
    return "limitador";
  }

  @Override
  public Optional<HttpCall> http() {
    return Optional.of(
        new HttpCall(
            http.resolve("/check_and_report"),
            "{\"namespace\":\"bench\",\"delta\":1,\"values\":{\"user\":\"",
            "\"}}"));
  }

  @Override
  public GrpcCall grpc() {
    return new GrpcCall(grpcPort, RateLimitCall.METHOD, WeirService.CALL.request());
  }

  @Override
  public void requireCounted() throws IOException, InterruptedException {
    String counters = Http.get(http.resolve("/counters/bench"));
    if (!counters.contains("\"remaining\"")) {
      throw new IllegalStateException("limitador does not count: " + counters);
    }
  }

  @Override
  public void close() throws IOException {
    process.close();
    Files.deleteIfExists(limits);
    Files.deleteIfExists(limits.resolveSibling(""));
  }
}
