package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.FreePort;
import dev.weir.benchmarks.H2Load;
import dev.weir.benchmarks.RateLimitCall;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.ServerProcess;
import dev.weir.benchmarks.Suite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Envoy's rate limit service, counted in memory, against grpc-java with a constant response. */
final class RlsCase implements GatewayCase {
  private static final String HEAP = "-Xmx512m";
  private static final double FLOOR = 0.7;

  /** High enough that nothing is refused. */
  private static final String BUCKET =
      "\"algorithm\":\"TOKEN_BUCKET\",\"capacity\":1000000000,\"refillRate\":1000000}";

  private static final List<String> RULES =
      List.of(
          "{\"name\":\"bench\"," + BUCKET,
          "{\"name\":\"orders\",\"pathPattern\":\"/api/orders/**\",\"keyBy\":[\"ip\"]," + BUCKET);

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
    int port = FreePort.find();
    Map<String, String> settings =
        Map.of(
            "WEIR_SLOTS_STORE", "memory",
            "WEIR_LIMITS_STORE", "memory",
            "WEIR_GRPC_PORT", Integer.toString(port));
    List<Row> rows = new ArrayList<>();
    try (ServerProcess weir = ServerProcess.start(HEAP, settings);
        BareRlsProcess bare = BareRlsProcess.start(HEAP)) {
      for (String rule : RULES) {
        weir.createRule(rule);
      }
      request.progress().accept("gateway: Envoy's rate limit service, a rule by name");
      rows.add(
          measured(
              request,
              "rule by name",
              RateLimitCall.of("rule", "bench", "user", "101"),
              port,
              bare));
      request.progress().accept("gateway: Envoy's rate limit service, rules by request");
      rows.add(
          measured(
              request,
              "rule by request",
              RateLimitCall.of(
                  "path", "/api/orders/7", "method", "GET", "remote_address", "192.0.2.7"),
              port,
              bare));
    }
    return new Suite.Outcome(Map.of(), rows);
  }

  private static Row measured(
      Suite.Request request, String scenario, RateLimitCall call, int weir, BareRlsProcess bare)
      throws Exception {
    call.requireDecidedBy(weir);
    Duration warmUp = Duration.ofSeconds(request.quick() ? 3 : 10);
    Duration time = Duration.ofSeconds(request.quick() ? 3 : 5);
    try (H2Load load = H2Load.calling(RateLimitCall.METHOD, call.request())) {
      load.run(weir, warmUp);
      load.run(bare.port(), warmUp);
      Rounds<Double> rounds =
          Rounds.interleaved(
              request.quick() ? 1 : 3,
              () -> load.run(weir, time),
              () -> load.run(bare.port(), time));
      call.requireDecidedBy(weir);
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
}
