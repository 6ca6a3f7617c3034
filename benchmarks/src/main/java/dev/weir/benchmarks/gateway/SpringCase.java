package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.BenchRedis;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.Wrk;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A token bucket by address on one Redis, against Spring Cloud Gateway with its own limiter. */
final class SpringCase implements GatewayCase {
  private static final int CONNECTIONS = 64;

  @Override
  public String name() {
    return "spring";
  }

  @Override
  public Suite.Outcome run(Suite.Request request) throws Exception {
    return ConstantUpstream.measure(request, name(), SpringCase::measure);
  }

  private static Suite.Outcome measure(Effort effort, URI upstream) throws Exception {
    Optional<SpringGateway.Program> program = SpringGateway.program();
    if (program.isEmpty()) {
      return new Suite.Outcome(
          Map.of("spring", "not measured: benchmarks/spring-gateway is not built"), List.of());
    }
    try (BenchRedis redis = BenchRedis.start();
        SpringGateway spring = SpringGateway.start(program.get(), upstream, redis.port());
        WeirGateway weir =
            WeirGateway.start(
                upstream,
                Map.of(
                    "WEIR_LIMITS_STORE",
                    "redis",
                    "WEIR_LIMITS_FALLBACK",
                    "none",
                    "WEIR_REDIS_URI",
                    redis.uri()),
                NginxCase.RULE);
        Wrk wrk = Wrk.getting(CONNECTIONS)) {
      wrk.warmUp(weir.address(), effort.warmUp());
      wrk.warmUp(spring.address(), effort.warmUp());
      Rounds<Wrk.Load> rounds =
          Rounds.interleaved(
              effort.rounds(),
              () -> wrk.load(weir.address(), effort.measured()),
              () -> wrk.load(spring.address(), effort.measured()));
      return new Suite.Outcome(
          Map.of("spring", program.get().version()),
          List.of(
              row(
                  "proxying, one rule on Redis, " + CONNECTIONS + " connections",
                  "requests/s",
                  Loads.rate(rounds.subject()),
                  Loads.rate(rounds.peer()),
                  new Row.AtLeast(3)),
              row(
                  "the same, p99",
                  "ms",
                  Loads.p99(rounds.subject()),
                  Loads.p99(rounds.peer()),
                  new Row.Untargeted())));
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
        new Row.Against("Spring Cloud Gateway, RequestRateLimiter", peer, target));
  }
}
