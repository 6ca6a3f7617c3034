package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.ServerProcess;
import dev.weir.benchmarks.Suite;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Envoy's rate limit service, counted in memory, against grpc-java with a constant answer. */
final class RlsCase implements GatewayCase {
  private static final String HEAP = "-Xmx512m";
  private static final double FLOOR = 0.7;
  private static final String METHOD = RateLimitServiceGrpc.SERVICE_NAME + "/ShouldRateLimit";

  @Override
  public String name() {
    return "rls";
  }

  @Override
  public Suite.Outcome run(Suite.Request request) throws Exception {
    if (!H2Load.isInstalled()) {
      return new Suite.Outcome(
          Map.of("rls", "not measured: it needs h2load (Debian: nghttp2-client)"), List.of());
    }
    int port = freePort();
    Map<String, String> settings =
        Map.of(
            "WEIR_SLOTS_STORE", "memory",
            "WEIR_LIMITS_STORE", "memory",
            "WEIR_GRPC_PORT", Integer.toString(port));
    List<Row> rows = new ArrayList<>();
    try (ServerProcess weir = ServerProcess.start(HEAP, settings);
        BareRlsProcess bare = BareRlsProcess.start(HEAP)) {
      makeRules(weir.address());
      request.progress().accept("gateway: Envoy's rate limit service, a rule by name");
      rows.add(
          measured(
              request, "rule by name", descriptor("rule", "bench", "user", "101"), port, bare));
      request.progress().accept("gateway: Envoy's rate limit service, rules by request");
      rows.add(
          measured(
              request,
              "rule by request",
              descriptor("path", "/api/orders/7", "method", "GET", "remote_address", "192.0.2.7"),
              port,
              bare));
    }
    return new Suite.Outcome(Map.of(), rows);
  }

  private static Row measured(
      Suite.Request request,
      String scenario,
      RateLimitDescriptor descriptor,
      int weir,
      BareRlsProcess bare)
      throws Exception {
    RateLimitRequest call =
        RateLimitRequest.newBuilder().setDomain("bench").addDescriptors(descriptor).build();
    requireDecided(weir, call);
    Duration warmUp = Duration.ofSeconds(request.quick() ? 3 : 10);
    Duration time = Duration.ofSeconds(request.quick() ? 3 : 5);
    try (H2Load load = H2Load.calling(METHOD, call)) {
      load.run(weir, warmUp);
      load.run(bare.port(), warmUp);
      Rounds<Double> rounds =
          Rounds.interleaved(
              request.quick() ? 1 : 3,
              () -> load.run(weir, time),
              () -> load.run(bare.port(), time));
      requireDecided(weir, call);
      return new Row(
          "gateway",
          "ShouldRateLimit in memory, %s, %d connections of %d streams"
              .formatted(scenario, H2Load.CONNECTIONS, H2Load.STREAMS),
          "weir",
          Rounds.median(rounds.subject()),
          "calls/s",
          new Row.Against(
              "grpc-java, a constant answer",
              Rounds.median(rounds.peer()),
              new Row.AtLeast(FLOOR)));
    }
  }

  /** The load generator does not look into answers: what it measures must be decisions. */
  private static void requireDecided(int port, RateLimitRequest call) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .usePlaintext()
            .build();
    try {
      RateLimitResponse answer =
          RateLimitServiceGrpc.newBlockingStub(channel).shouldRateLimit(call);
      if (answer.getOverallCode() != RateLimitResponse.Code.OK
          || answer.getStatuses(0).getLimitRemaining() == 0) {
        throw new IllegalStateException("no rule has decided: " + answer);
      }
    } finally {
      channel.shutdownNow();
    }
  }

  private static RateLimitDescriptor descriptor(String... keysAndValues) {
    RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      descriptor.addEntries(
          RateLimitDescriptor.Entry.newBuilder()
              .setKey(keysAndValues[i])
              .setValue(keysAndValues[i + 1]));
    }
    return descriptor.build();
  }

  /** So much that nothing is refused. */
  private static void makeRules(URI weir) throws IOException, InterruptedException {
    String terms = "\"algorithm\":\"TOKEN_BUCKET\",\"capacity\":1000000000,\"refillRate\":1000000}";
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (String name :
          List.of(
              "{\"name\":\"bench\",",
              "{\"name\":\"orders\",\"pathPattern\":\"/api/orders/**\",\"keyBy\":[\"ip\"],")) {
        HttpResponse<String> answer =
            client.send(
                HttpRequest.newBuilder(weir.resolve("/api/admin/rules"))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(name + terms))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 201) {
          throw new IllegalStateException("no rule: " + answer.body());
        }
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
