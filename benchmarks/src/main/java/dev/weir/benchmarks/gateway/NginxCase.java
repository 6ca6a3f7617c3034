package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.Nginx;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.Wrk;
import java.net.URI;
import java.util.Map;

/** One rule by address, counted in memory, against nginx with {@code limit_req}. */
final class NginxCase implements GatewayCase {
  private static final ProxyRace RACE =
      new ProxyRace("one rule in memory", "nginx, limit_req, proxy_pass");

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
            WeirGateway.start(upstream, Map.of("WEIR_LIMITS_STORE", "memory"), ProxyRace.RULE);
        Wrk wrk = Wrk.getting(ProxyRace.CONNECTIONS)) {
      wrk.warmUp(weir.address(), effort.warmUp());
      wrk.warmUp(nginx.address(), effort.measured());
      return new Suite.Outcome(
          Map.of(),
          RACE.run(
              wrk,
              effort,
              weir.address(),
              nginx.address(),
              new Row.AtLeast(0.5),
              new Row.AtMost(3)));
    }
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
