package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which routes have metrics of their own. */
final class GatewayMetricsTest {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final GatewayMetrics metrics = new GatewayMetrics(registry);

  @Test
  void aRemovedRouteLosesItsSeriesAndFreesItsPlace() {
    IntStream.range(0, 200).forEach(i -> metrics.answered("/r" + i, 200, 1));
    assertThat(routes()).contains("/r0", "other", "none").doesNotContain("/r199");
    metrics.routesKnown(Set.of("/r1", "/r199"));
    assertThat(routes()).containsExactlyInAnyOrder("/r1", "other", "none");
    metrics.answered("/r199", 200, 1);
    assertThat(routes()).containsExactlyInAnyOrder("/r1", "/r199", "other", "none");
  }

  private Set<String> routes() {
    return registry.scrape().stream()
        .filter(each -> each.getMetadata().getName().startsWith("rate_limiter_gateway_request"))
        .map(MetricSnapshot::getDataPoints)
        .flatMap(points -> points.stream().map(point -> point.getLabels().get("route")))
        .collect(Collectors.toSet());
  }
}
