package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Wrk;
import java.net.URI;
import java.util.List;

/**
 * Weir and another proxy in front of the same upstream, by turns.
 *
 * @param rule how both are limited, as the row says it
 * @param peer who the other is
 */
record ProxyRace(String rule, String peer) {
  static final int CONNECTIONS = 64;

  /** So much that nothing is refused: a refusal is another answer. */
  static final String RULE =
      """
      {"name": "bench", "pathPattern": "/**", "algorithm": "TOKEN_BUCKET",
       "capacity": 1000000000, "refillRate": 1000000}
      """;

  /**
   * Measures both, which are warm.
   *
   * @param wantedRate what the ratio of requests a second has to be
   * @param wantedP99 what that of the slowest hundredth has to be
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
