package dev.weir.server.rules;

import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.problems.Problem;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;

/** Refunds what a check was granted, because the work did not happen. */
@Controller("/api/v1/refund")
@RequiresRole(RequiresRole.Role.CLIENT)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class RefundEndpoint {
  private final Refunds refunds;

  RefundEndpoint(Refunds refunds) {
    this.refunds = refunds;
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> refund(@Body byte[] body) {
    return refunds.refund(body);
  }
}
