package dev.weir.payments.server.metrics;

import dev.weir.payments.workflows.PaymentMetric;
import dev.weir.payments.workflows.PaymentObserver;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The metrics of payments in Prometheus' format: each {@link PaymentMetric}. */
public final class PaymentMetrics implements PaymentObserver {
  private final PrometheusRegistry registry;
  private final Map<PaymentMetric, Counter> counters = new EnumMap<>(PaymentMetric.class);
  private final Map<PaymentMetric, Histogram> histograms = new EnumMap<>(PaymentMetric.class);

  public PaymentMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    for (PaymentMetric metric : PaymentMetric.values()) {
      switch (metric.kind()) {
        case COUNTER -> counters.put(metric, counter(metric));
        case SECONDS -> histograms.put(metric, histogram(metric));
        case STATE -> {} // Registered with what knows the state.
      }
    }
  }

  private Counter counter(PaymentMetric metric) {
    Counter counter =
        Counter.builder()
            .name(metric.metricName())
            .help(metric.help())
            .labelNames(labels(metric, metric.label()))
            .register(registry);
    metric.labelValues().forEach(counter::initLabelValues);
    return counter;
  }

  private Histogram histogram(PaymentMetric metric) {
    Histogram histogram =
        Histogram.builder()
            .name(metric.metricName())
            .help(metric.help())
            .labelNames(labels(metric, metric.label()))
            .classicOnly()
            .classicUpperBounds(0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)
            .register(registry);
    metric.labelValues().forEach(histogram::initLabelValues);
    return histogram;
  }

  /** Exposes a state. */
  public void state(PaymentMetric metric, BooleanSupplier isSo) {
    GaugeWithCallback.builder()
        .name(metric.metricName())
        .help(metric.help())
        .callback(callback -> callback.call(isSo.getAsBoolean() ? 1 : 0))
        .register(registry);
  }

  @Override
  public void measured(PaymentMetric metric, String label, double amount) {
    String[] labels = labels(metric, label);
    Counter counter = counters.get(metric);
    if (counter != null) {
      counter.labelValues(labels).inc(amount);
    }
    Histogram histogram = histograms.get(metric);
    if (histogram != null) {
      histogram.labelValues(labels).observe(amount);
    }
  }

  private static String[] labels(PaymentMetric metric, String text) {
    return metric.label().isEmpty() ? new String[0] : new String[] {text};
  }
}
