package dev.weir.benchmarks.limits;

import dev.weir.benchmarks.Nginx;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.ServerProcess;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.Wrk;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A check over HTTP, counted in memory, against nginx that returns a constant response. */
final class HttpCase implements LimitsCase {
  private static final Map<String, String> IN_MEMORY =
      Map.of("WEIR_SLOTS_STORE", "memory", "WEIR_LIMITS_STORE", "memory");

  /** A response of the same length as Weir's. */
  private static final String CONSTANT =
      """
      default_type application/json;
      add_header RateLimit-Policy '"bench";q=1000000000';
      add_header RateLimit '"bench";r=999999999;t=1';
      add_header X-RateLimit-Limit 1000000000;
      add_header X-RateLimit-Remaining 999999999;
      add_header X-RateLimit-Reset 1;
      return 200 '%s';
      """
          .formatted(
              "{\"allowed\":true,\"rule\":\"bench\",\"key\":\"user:1\",\"remaining\":999999999,"
                  + "\"reset\":0.000001,\"mode\":\"store\",\"replayed\":false,"
                  + "\"decidedAt\":\"2026-06-01T12:00:00.000001Z\"}");

  /** High enough that nothing is refused, because a refusal is a longer response. */
  private static final String RULE =
      "{\"name\":\"bench\",\"algorithm\":\"TOKEN_BUCKET\","
          + "\"capacity\":1000000000,\"refillRate\":1000000}";

  private static final int CONNECTIONS = 64;
  private static final double FLOOR = 0.6;

  /** A server that has just started is measured only after its code is compiled, quick or not. */
  private static final Duration WARM_UP = Duration.ofSeconds(10);

  @Override
  public String name() {
    return "http";
  }

  @Override
  public Suite.Outcome run(Effort effort, Suite.Request request) throws Exception {
    if (!Wrk.isInstalled() || !Nginx.isInstalled()) {
      return new Suite.Outcome(Map.of("http", "not measured: it needs nginx and wrk"), List.of());
    }
    request.progress().accept("limits: checks over HTTP in memory");
    try (ServerProcess weir = ServerProcess.start("-Xmx512m", IN_MEMORY);
        Nginx nginx = Nginx.start("", CONSTANT);
        Wrk wrk = Wrk.posting("{\"rule\":\"bench\",\"key\":\"user:", "\"}", CONNECTIONS)) {
      weir.createRule(RULE);
      URI check = weir.address().resolve("/api/v1/check");
      URI constant = nginx.address().resolve("/api/v1/check");
      wrk.run(check, WARM_UP);
      wrk.run(constant, effort.warmUp());
      Rounds<Double> rounds =
          Rounds.interleaved(
              effort.rounds(),
              () -> wrk.run(check, effort.measured()),
              () -> wrk.run(constant, effort.measured()));
      return new Suite.Outcome(
          Map.of("nginx", Nginx.version()),
          List.of(
              new Row(
                  "limits",
                  "check over HTTP in memory, " + CONNECTIONS + " connections",
                  "weir",
                  Rounds.median(rounds.subject()),
                  "answers/s",
                  new Row.Against(
                      "nginx, a constant answer",
                      Rounds.median(rounds.peer()),
                      new Row.AtLeast(FLOOR)))));
    }
  }
}
