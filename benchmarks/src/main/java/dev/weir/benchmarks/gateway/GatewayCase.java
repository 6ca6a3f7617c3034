package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.Suite;

/** One case of the gateway suite. It brings along the services that it measures. */
interface GatewayCase {
  /** The word that picks it by {@code --only}. */
  String name();

  /** Measures it: its rows, and the facts of the services that it used. */
  Suite.Outcome run(Suite.Request request) throws Exception;
}
