package dev.weir.benchmarks.limits;

import dev.weir.benchmarks.Suite;

/** One case of the limits suite. It brings along the services that it measures. */
interface LimitsCase {
  /** The word that picks it by {@code --only}. */
  String name();

  /** Measures it: its rows, and the facts of the services that it used. */
  Suite.Outcome run(Effort effort, Suite.Request request) throws Exception;
}
