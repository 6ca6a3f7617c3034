package dev.weir.benchmarks.services;

import dev.weir.benchmarks.FreePort;
import dev.weir.benchmarks.RateLimitCall;
import dev.weir.benchmarks.ServerProcess;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Weir with a rule that is selected by name. */
final class WeirService implements Service {
  /** The call of Envoy's service that Weir, limitador and envoyproxy/ratelimit all support. */
  static final RateLimitCall CALL = RateLimitCall.of("rule", "bench", "user", "101");

  private static final String RULE =
      "{\"name\":\"bench\",\"algorithm\":\"TOKEN_BUCKET\","
          + "\"capacity\":1000000000,\"refillRate\":1000000}";

  private final ServerProcess process;
  private final int grpcPort;

  private WeirService(ServerProcess process, int grpcPort) {
    this.process = process;
    this.grpcPort = grpcPort;
  }

  /**
   * Starts the server.
   *
   * @param settings where limits are counted, as environment variables
   */
  static WeirService start(Map<String, String> settings) throws IOException, InterruptedException {
    int grpcPort = FreePort.find();
    Map<String, String> all = new HashMap<>(settings);
    all.put("WEIR_SLOTS_STORE", "memory");
    all.put("WEIR_GRPC_PORT", Integer.toString(grpcPort));
    ServerProcess process = ServerProcess.start("-Xmx512m", all);
    process.createRule(RULE);
    return new WeirService(process, grpcPort);
  }

  @Override
  public String name() {
    return "weir";
  }

  @Override
  public Optional<HttpCall> http() {
    return Optional.of(
        new HttpCall(
            process.address().resolve("/api/v1/check"),
            "{\"rule\":\"bench\",\"key\":\"user:",
            "\"}"));
  }

  @Override
  public GrpcCall grpc() {
    return new GrpcCall(grpcPort, RateLimitCall.METHOD, CALL.request());
  }

  @Override
  public void requireCounted() {
    CALL.requireDecidedBy(grpcPort);
  }

  @Override
  public void close() {
    process.close();
  }
}
