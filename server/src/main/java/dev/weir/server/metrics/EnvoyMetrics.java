package dev.weir.server.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/**
 * Metrics of Envoy's rate limit calls. The decisions of rules are counted with all other decisions.
 */
public final class EnvoyMetrics {
  private final CounterDataPoint ok;
  private final CounterDataPoint overLimit;
  private final CounterDataPoint failed;
  private final Counter unmatched;

  public EnvoyMetrics(PrometheusRegistry registry) {
    Counter calls =
        Counter.builder()
            .name("rate_limiter_envoy_calls")
            .help("Calls of Envoy's rate limit service: let pass, over a limit, or failed.")
            .labelNames("outcome")
            .register(registry);
    ok = calls.labelValues("ok");
    overLimit = calls.labelValues("over_limit");
    failed = calls.labelValues("failed");
    unmatched =
        Counter.builder()
            .name("rate_limiter_envoy_unmatched_descriptors")
            .help("Descriptors of Envoy that name no rule that there is, and no path: let pass.")
            .register(registry);
  }

  public void ok() {
    ok.inc();
  }

  public void overLimit() {
    overLimit.inc();
  }

  public void failed() {
    failed.inc();
  }

  /** Counts a descriptor that matches no rule. */
  public void unmatched() {
    unmatched.inc();
  }
}
