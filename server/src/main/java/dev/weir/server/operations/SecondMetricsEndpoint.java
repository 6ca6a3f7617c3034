package dev.weir.server.operations;

import dev.weir.http.endpoints.RequiresRole;
import dev.weir.node.operations.MetricsText;
import io.micronaut.context.annotation.Requires;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** The metrics under a path that a setting names, beside {@link MetricsEndpoint}. */
@Controller("${" + SecondMetricsEndpoint.PATH + "}")
@RequiresRole(RequiresRole.Role.OBSERVER)
@ExecuteOn(TaskExecutors.VIRTUAL)
@Requires(property = SecondMetricsEndpoint.PATH)
public final class SecondMetricsEndpoint {
  /** The Micronaut property with the path. Without it there is no such endpoint. */
  public static final String PATH = "weir.metrics.also-at";

  private final PrometheusRegistry metrics;

  SecondMetricsEndpoint(PrometheusRegistry metrics) {
    this.metrics = metrics;
  }

  @Get
  @Produces(PrometheusTextFormatWriter.CONTENT_TYPE)
  byte[] metrics() {
    return MetricsText.of(metrics);
  }
}
