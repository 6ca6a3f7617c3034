package dev.weir.server.operations;

import dev.weir.http.connections.Draining;
import dev.weir.http.endpoints.AnyHost;
import dev.weir.http.endpoints.Readiness;
import dev.weir.http.endpoints.Responses;
import dev.weir.node.operations.HealthJson;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;

/** Probes: liveness and readiness. */
@Controller
@ExecuteOn(TaskExecutors.VIRTUAL)
final class OperationsEndpoints {
  private final Draining draining;
  private final Readiness readiness;

  OperationsEndpoints(Draining draining, Readiness readiness) {
    this.draining = draining;
    this.readiness = readiness;
  }

  @Get("/health/live")
  @AnyHost
  @Produces(MediaType.APPLICATION_JSON)
  HttpResponse<byte[]> live() {
    return status(HealthJson.UP);
  }

  @Get("/health/ready")
  @AnyHost
  @Produces(MediaType.APPLICATION_JSON)
  HttpResponse<byte[]> ready() {
    return status(draining.begun() ? HealthJson.down("draining") : HealthJson.of(readiness));
  }

  private static HttpResponse<byte[]> status(HealthJson health) {
    return Responses.json(
        health.isUp() ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE, health::write);
  }
}
