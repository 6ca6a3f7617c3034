package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Wrk;
import java.util.List;

/** What several rounds of one side come to: the median of each. */
final class Loads {
  private Loads() {}

  static double rate(List<Wrk.Load> rounds) {
    return Rounds.median(rounds.stream().map(Wrk.Load::answersPerSecond).toList());
  }

  static double p99(List<Wrk.Load> rounds) {
    return Rounds.median(rounds.stream().map(Wrk.Load::p99Millis).toList());
  }
}
