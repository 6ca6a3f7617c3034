package dev.weir.benchmarks.limits;

import dev.weir.benchmarks.Suite;

/** One case of the limits suite. It starts the services that it measures. */
interface LimitsCase {
  /** Returns the name that {@code --only} selects. */
  String name();

  /** Runs the case. Returns its rows, and the facts of the services that it used. */
  Suite.Outcome run(Effort effort, Suite.Request request) throws Exception;
}
