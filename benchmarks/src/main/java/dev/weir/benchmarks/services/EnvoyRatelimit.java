package dev.weir.benchmarks.services;

import dev.weir.benchmarks.BenchRedis;
import dev.weir.benchmarks.FreePort;
import dev.weir.benchmarks.RateLimitCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Envoy's own rate limit service, envoyproxy/ratelimit, which counts in Redis. */
final class EnvoyRatelimit implements Service {
  private static final String LIMITS =
      """
      domain: bench
      descriptors:
        - key: rule
          value: bench
          descriptors:
            - key: user
              rate_limit:
                unit: hour
                requests_per_unit: 1000000000
      """;

  private final PeerProcess process;
  private final Path folder;
  private final int grpcPort;

  private EnvoyRatelimit(PeerProcess process, Path folder, int grpcPort) {
    this.process = process;
    this.folder = folder;
    this.grpcPort = grpcPort;
  }

  static EnvoyRatelimit start(Path program, BenchRedis redis)
      throws IOException, InterruptedException {
    int grpcPort = FreePort.find();
    Path folder = Files.createTempDirectory("weir-bench-ratelimit");
    Files.createDirectories(folder.resolve("bench/config"));
    Files.writeString(folder.resolve("bench/config/limits.yaml"), LIMITS);
    Map<String, String> settings =
        Map.ofEntries(
            Map.entry("HOST", "127.0.0.1"),
            Map.entry("PORT", Integer.toString(FreePort.find())),
            Map.entry("DEBUG_HOST", "127.0.0.1"),
            Map.entry("DEBUG_PORT", Integer.toString(FreePort.find())),
            Map.entry("GRPC_HOST", "127.0.0.1"),
            Map.entry("GRPC_PORT", Integer.toString(grpcPort)),
            Map.entry("RUNTIME_ROOT", folder.toString()),
            Map.entry("RUNTIME_SUBDIRECTORY", "bench"),
            Map.entry("RUNTIME_WATCH_ROOT", "false"),
            Map.entry("REDIS_SOCKET_TYPE", "tcp"),
            Map.entry("REDIS_URL", "127.0.0.1:" + redis.port()),
            Map.entry("USE_STATSD", "false"),
            Map.entry("LOG_LEVEL", "error"));
    PeerProcess process =
        PeerProcess.start(List.of(program.toString()), settings, List.of(grpcPort));
    return new EnvoyRatelimit(process, folder, grpcPort);
  }

  @Override
  public String name() {
    return "envoyproxy/ratelimit";
  }

  @Override
  public Optional<HttpCall> http() {
    return Optional.empty();
  }

  @Override
  public GrpcCall grpc() {
    return new GrpcCall(grpcPort, RateLimitCall.METHOD, WeirService.CALL.request());
  }

  @Override
  public void requireCounted() {
    WeirService.CALL.requireDecidedBy(grpcPort);
  }

  @Override
  public void close() throws IOException {
    process.close();
    for (String path : List.of("bench/config/limits.yaml", "bench/config", "bench", "")) {
      Files.deleteIfExists(folder.resolve(path));
    }
  }
}
