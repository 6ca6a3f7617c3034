package dev.weir.server.operations;

import dev.weir.http.endpoints.RequiresRole;
import dev.weir.node.operations.MetricsText;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Metrics for operators. They name rules and routes, so they are not for everyone. */
@Controller
@RequiresRole(RequiresRole.Role.OBSERVER)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class MetricsEndpoint {
  private final PrometheusRegistry metrics;

  MetricsEndpoint(PrometheusRegistry metrics) {
    this.metrics = metrics;
  }

  @Get("/metrics")
  @Produces(PrometheusTextFormatWriter.CONTENT_TYPE)
  byte[] metrics() {
    return MetricsText.of(metrics);
  }
}
