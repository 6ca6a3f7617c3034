package dev.weir.notifications.server.metrics;

import dev.weir.notifications.analytics.AnalyticsObserver;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.BooleanSupplier;

/** Metrics of events of messages, and of their index. */
public final class AnalyticsMetrics implements AnalyticsObserver {
  private final PrometheusRegistry registry;
  private final CounterDataPoint published;
  private final CounterDataPoint dropped;
  private final CounterDataPoint indexed;
  private final CounterDataPoint duplicates;
  private final CounterDataPoint rejected;

  public AnalyticsMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    Counter events =
        Counter.builder()
            .name("rate_limiter_message_events")
            .help("Events of messages, by whether Kafka has them.")
            .labelNames("result")
            .register(registry);
    published = events.labelValues("published");
    dropped = events.labelValues("dropped");
    Counter documents =
        Counter.builder()
            .name("rate_limiter_message_events_indexed")
            .help("Events of messages that were written to OpenSearch.")
            .labelNames("result")
            .register(registry);
    indexed = documents.labelValues("new");
    duplicates = documents.labelValues("duplicate");
    rejected = documents.labelValues("rejected");
  }

  /** Exposes whether OpenSearch does not take events. */
  public void indexDown(BooleanSupplier isDown) {
    GaugeWithCallback.builder()
        .name("rate_limiter_message_index_down")
        .help("Whether OpenSearch does not take events, as far as this node knows: 1 if so.")
        .callback(callback -> callback.call(isDown.getAsBoolean() ? 1 : 0))
        .register(registry);
  }

  @Override
  public void published() {
    published.inc();
  }

  @Override
  public void dropped() {
    dropped.inc();
  }

  @Override
  public void indexed(int events) {
    indexed.inc(events);
  }

  @Override
  public void duplicates(int events) {
    duplicates.inc(events);
  }

  @Override
  public void rejected(int events) {
    rejected.inc(events);
  }
}
