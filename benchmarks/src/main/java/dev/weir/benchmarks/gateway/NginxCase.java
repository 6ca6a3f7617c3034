package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.Nginx;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.Wrk;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** One rule by address, counted in memory, against nginx with {@code limit_req}. */
final class NginxCase implements GatewayCase {
  private static final int CONNECTIONS = 64;

  /** So much that nothing is refused: a refusal is another answer. */
  static final String RULE =
      """
      {"name": "bench", "pathPattern": "/**", "algorithm": "TOKEN_BUCKET",
       "capacity": 1000000000, "refillRate": 1000000}
      """;

  @Override
  public String name() {
    return "nginx";
  }

  @Override
  public Suite.Outcome run(Suite.Request request) throws Exception {
    return ConstantUpstream.measure(request, name(), NginxCase::measure);
  }

  private static Suite.Outcome measure(Effort effort, URI upstream) throws Exception {
    try (Nginx nginx = proxy(upstream);
        WeirGateway weir =
            WeirGateway.start(upstream, Map.of("WEIR_LIMITS_STORE", "memory"), RULE);
        Wrk wrk = Wrk.getting(CONNECTIONS)) {
      wrk.warmUp(weir.address(), effort.warmUp());
      wrk.warmUp(nginx.address(), effort.measured());
      Rounds<Wrk.Load> rounds =
          Rounds.interleaved(
              effort.rounds(),
              () -> wrk.load(weir.address(), effort.measured()),
              () -> wrk.load(nginx.address(), effort.measured()));
      return new Suite.Outcome(
          Map.of(),
          List.of(
              row(
                  "proxying, one rule in memory, " + CONNECTIONS + " connections",
                  "requests/s",
                  Loads.rate(rounds.subject()),
                  Loads.rate(rounds.peer()),
                  new Row.AtLeast(0.5)),
              row(
                  "the same, p99",
                  "ms",
                  Loads.p99(rounds.subject()),
                  Loads.p99(rounds.peer()),
                  new Row.AtMost(3))));
    }
  }

  private static Row row(
      String scenario, String unit, double value, double peer, Row.Target target) {
    return new Row(
        "gateway",
        scenario,
        "weir",
        value,
        unit,
        new Row.Against("nginx, limit_req, proxy_pass", peer, target));
  }

  private static Nginx proxy(URI upstream) throws java.io.IOException {
    return Nginx.start(
        """
        limit_req_zone $binary_remote_addr zone=bench:10m rate=1000000r/s;
        upstream bench {
          server %s;
          keepalive 128;
          keepalive_requests 1000000000;
        }
        """
            .formatted(upstream.getAuthority()),
        """
        limit_req zone=bench burst=1000000 nodelay;
        proxy_pass http://bench;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header X-Request-Id $request_id;
        """);
  }
}
