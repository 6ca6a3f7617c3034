package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.BenchRedis;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.Wrk;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A token bucket by address on one Redis, against Spring Cloud Gateway with its own limiter. */
final class SpringCase implements GatewayCase {
  private static final ProxyRace RACE =
      new ProxyRace("one rule on Redis", "Spring Cloud Gateway, RequestRateLimiter");

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
                ProxyRace.RULE);
        Wrk wrk = Wrk.getting(ProxyRace.CONNECTIONS)) {
      wrk.warmUp(weir.address(), effort.warmUp());
      wrk.warmUp(spring.address(), effort.warmUp());
      return new Suite.Outcome(
          Map.of("spring", program.get().version()),
          RACE.run(
              wrk,
              effort,
              weir.address(),
              spring.address(),
              new Row.AtLeast(3),
              new Row.Untargeted()));
    }
  }
}
