package dev.weir.server.operations;

import dev.weir.server.http.AnyHost;
import dev.weir.server.http.Draining;
import dev.weir.server.http.Readiness;
import dev.weir.server.http.Responses;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;

/** Endpoints for operators: liveness, readiness and metrics. */
@Controller
@ExecuteOn(TaskExecutors.VIRTUAL)
final class OperationsEndpoints {
  private final Draining draining;
  private final Readiness readiness;
  private final PrometheusRegistry metrics;

  OperationsEndpoints(Draining draining, Readiness readiness, PrometheusRegistry metrics) {
    this.draining = draining;
    this.readiness = readiness;
    this.metrics = metrics;
  }

  @Get("/health/live")
  @AnyHost
  @Produces(MediaType.APPLICATION_JSON)
  HttpResponse<byte[]> live() {
    return status(HttpStatus.OK, "UP", "", List.of());
  }

  @Get("/health/ready")
  @AnyHost
  @Produces(MediaType.APPLICATION_JSON)
  HttpResponse<byte[]> ready() {
    String reason = draining.begun() ? "draining" : readiness.reasonAgainst();
    return reason.isEmpty()
        ? status(HttpStatus.OK, "UP", "", readiness.warnings())
        : status(HttpStatus.SERVICE_UNAVAILABLE, "DOWN", reason, List.of());
  }

  @Get("/metrics")
  @Produces(PrometheusTextFormatWriter.CONTENT_TYPE)
  byte[] metrics() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream(16_384);
    PrometheusTextFormatWriter.create().write(out, metrics.scrape());
    return out.toByteArray();
  }

  private static HttpResponse<byte[]> status(
      HttpStatus code, String status, String reason, List<String> warnings) {
    return Responses.json(
        code,
        json -> {
          json.writeStartObject();
          json.writeStringField("status", status);
          if (!reason.isEmpty()) {
            json.writeStringField("reason", reason);
          }
          if (!warnings.isEmpty()) {
            json.writeArrayFieldStart("warnings");
            for (String warning : warnings) {
              json.writeString(warning);
            }
            json.writeEndArray();
          }
          json.writeEndObject();
        });
  }
}
