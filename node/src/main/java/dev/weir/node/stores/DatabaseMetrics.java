package dev.weir.node.stores;

import com.zaxxer.hikari.metrics.IMetricsTracker;
import com.zaxxer.hikari.metrics.PoolStats;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.concurrent.TimeUnit;

/**
 * Metrics of the connection pool. They tell a pool that is too small, where callers wait for
 * connections, from a slow database, where connections are in use for long.
 */
final class DatabaseMetrics implements IMetricsTracker {
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

  private final DistributionDataPoint wait;
  private final DistributionDataPoint use;
  private final CounterDataPoint timeouts;

  /**
   * Registers the metrics.
   *
   * @param pool the numbers of its connections, which it counts once a second
   */
  DatabaseMetrics(PrometheusRegistry registry, PoolStats pool) {
    GaugeWithCallback.builder()
        .name("rate_limiter_database_connections")
        .help("Connections of this node to its database: in use, or idle.")
        .labelNames("state")
        .callback(
            gauge -> {
              gauge.call(pool.getActiveConnections(), "in_use");
              gauge.call(pool.getIdleConnections(), "idle");
            })
        .register(registry);
    GaugeWithCallback.builder()
        .name("rate_limiter_database_connections_max")
        .help("How many connections this node may have at most.")
        .callback(gauge -> gauge.call(pool.getMaxConnections()))
        .register(registry);
    GaugeWithCallback.builder()
        .name("rate_limiter_database_waiting")
        .help("Callers that wait for a connection now.")
        .callback(gauge -> gauge.call(pool.getPendingThreads()))
        .register(registry);
    wait = seconds("wait", "How long callers waited for a connection, also in vain.", registry);
    use = seconds("use", "How long callers used a connection.", registry);
    timeouts =
        Counter.builder()
            .name("rate_limiter_database_wait_timeouts")
            .help("Callers that got no connection within weir.db.wait.")
            .register(registry)
            .labelValues();
  }

  private static DistributionDataPoint seconds(
      String name, String help, PrometheusRegistry registry) {
    return Histogram.builder()
        .name("rate_limiter_database_" + name + "_seconds")
        .help(help)
        .classicOnly()
        .classicUpperBounds(0.0001, 0.001, 0.005, 0.02, 0.1, 0.5, 1, 3, 10, 30)
        .register(registry)
        .labelValues();
  }

  @Override
  public void recordConnectionAcquiredNanos(long nanos) {
    wait.observe(nanos / NANOS_PER_SECOND);
  }

  @Override
  public void recordConnectionUsageMillis(long millis) {
    use.observe(millis / MILLIS_PER_SECOND);
  }

  @Override
  public void recordConnectionTimeout() {
    timeouts.inc();
  }
}
