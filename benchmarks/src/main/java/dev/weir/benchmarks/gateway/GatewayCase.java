package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.Suite;

/** One case of the gateway suite. It starts the services that it measures. */
interface GatewayCase {
  /** Returns the name that {@code --only} selects. */
  String name();

  /** Runs the case. Returns its rows, and the facts of the services that it used. */
  Suite.Outcome run(Suite.Request request) throws Exception;
}
