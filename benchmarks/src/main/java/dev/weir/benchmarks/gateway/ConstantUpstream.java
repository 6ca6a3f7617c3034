package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.Nginx;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.Wrk;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The upstream of all proxies: an nginx that returns a small constant. Load, proxies and upstream
 * share the machine.
 */
final class ConstantUpstream {
  private ConstantUpstream() {}

  /** Measures proxies in front of the upstream. */
  interface Measurement {
    Suite.Outcome of(Effort effort, URI upstream) throws Exception;
  }

  /** Starts the upstream for one case, and adds its version to the facts. */
  static Suite.Outcome measure(Suite.Request request, String name, Measurement measurement)
      throws Exception {
    if (!Wrk.isInstalled() || !Nginx.isInstalled()) {
      return new Suite.Outcome(Map.of(name, "not measured: it needs nginx and wrk"), List.of());
    }
    request.progress().accept("gateway: " + name);
    try (Nginx upstream = Nginx.start("", "return 200 'ok';")) {
      Suite.Outcome outcome = measurement.of(Effort.of(request.quick()), upstream.address());
      Map<String, String> facts = new LinkedHashMap<>(Map.of("nginx", Nginx.version()));
      facts.putAll(outcome.facts());
      return new Suite.Outcome(facts, outcome.rows());
    }
  }
}
