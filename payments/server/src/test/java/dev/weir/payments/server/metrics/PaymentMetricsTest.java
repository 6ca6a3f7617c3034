package dev.weir.payments.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import dev.weir.payments.workflows.PaymentMetric;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PaymentMetricsTest {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final PaymentMetrics metrics = new PaymentMetrics(registry);

  /** Value, or count of durations, by name and label. */
  private Map<String, Double> exposed() {
    Map<String, Double> values = new HashMap<>();
    for (MetricSnapshot metric : registry.scrape()) {
      for (DataPointSnapshot point : metric.getDataPoints()) {
        String label =
            point.getLabels().stream().map(one -> " " + one.getValue()).reduce("", String::concat);
        values.put(metric.getMetadata().getName() + label, value(point));
      }
    }
    return values;
  }

  private static double value(DataPointSnapshot point) {
    return switch (point) {
      case CounterSnapshot.CounterDataPointSnapshot counter -> counter.getValue();
      case GaugeSnapshot.GaugeDataPointSnapshot gauge -> gauge.getValue();
      case HistogramSnapshot.HistogramDataPointSnapshot histogram -> histogram.getCount();
      default -> throw new IllegalArgumentException("no metric of payments: " + point);
    };
  }

  @Test
  void exposesEachMetricWithAllOfItsLabelsBeforeAnythingHappens() {
    Map<String, Double> expected = new HashMap<>();
    for (PaymentMetric metric : PaymentMetric.values()) {
      if (metric.kind() == PaymentMetric.Kind.STATE) {
        metrics.state(metric, () -> false);
      }
      if (metric.labelValues().isEmpty()) {
        expected.put(metric.metricName(), 0.0);
      }
      metric.labelValues().forEach(label -> expected.put(metric.metricName() + " " + label, 0.0));
    }
    assertThat(exposed()).isEqualTo(expected);
  }

  @Test
  void addsWhatIsMeasured() {
    metrics.started(3);
    metrics.ended(PaymentState.PAID);
    metrics.ended(PaymentState.PAID);
    metrics.called(PaymentCall.Result.UNKNOWN, Duration.ofSeconds(30));
    metrics.state(PaymentMetric.TEMPORAL_DOWN, () -> true);
    assertThat(exposed())
        .containsEntry("rate_limiter_payments_started", 3.0)
        .containsEntry("rate_limiter_payments_ended paid", 2.0)
        .containsEntry("rate_limiter_payments_ended failed", 0.0)
        .containsEntry("rate_limiter_payment_call_seconds unknown", 1.0)
        .containsEntry("rate_limiter_payment_temporal_down", 1.0);
  }
}
