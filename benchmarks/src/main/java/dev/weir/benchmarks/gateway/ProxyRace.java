package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Wrk;
import java.net.URI;
import java.util.List;

/**
 * Weir and another proxy in front of the same upstream, measured in turns.
 *
 * @param rule how both are limited, as shown in the row
 * @param peer the name of the other proxy
 */
record ProxyRace(String rule, String peer) {
  static final int CONNECTIONS = 64;

  /** High enough that nothing is refused, because a refusal is a different response. */
  static final String RULE =
      """
      {"name": "bench", "pathPattern": "/**", "algorithm": "TOKEN_BUCKET",
       "capacity": 1000000000, "refillRate": 1000000}
      """;

  /**
   * Measures both, which must be warmed up.
   *
   * @param wantedRate the target of the ratio of requests per second
   * @param wantedP99 the target of the ratio of the 99th percentiles
   */
  List<Row> run(
      Wrk wrk, Effort effort, URI weir, URI other, Row.Target wantedRate, Row.Target wantedP99)
      throws Exception {
    Rounds<Wrk.Load> rounds =
        Rounds.interleaved(
            effort.rounds(),
            () -> wrk.load(weir, effort.measured()),
            () -> wrk.load(other, effort.measured()));
    return List.of(
        row(
            "proxying, %s, %d connections".formatted(rule, CONNECTIONS),
            "requests/s",
            rate(rounds.subject()),
            rate(rounds.peer()),
            wantedRate),
        row("the same, p99", "ms", p99(rounds.subject()), p99(rounds.peer()), wantedP99));
  }

  private Row row(String scenario, String unit, double value, double others, Row.Target target) {
    return new Row("gateway", scenario, "weir", value, unit, new Row.Against(peer, others, target));
  }

  private static double rate(List<Wrk.Load> rounds) {
    return Rounds.median(rounds.stream().map(Wrk.Load::answersPerSecond).toList());
  }

  private static double p99(List<Wrk.Load> rounds) {
    return Rounds.median(rounds.stream().map(Wrk.Load::p99Millis).toList());
  }
}
