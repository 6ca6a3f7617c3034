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

/** Renews the lease that concurrency rules granted to a check. */
@Controller("/api/v1/renew")
@RequiresRole(RequiresRole.Role.CLIENT)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class RenewEndpoint {
  private final Refunds refunds;

  RenewEndpoint(Refunds refunds) {
    this.refunds = refunds;
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> renew(@Body byte[] body) {
    return refunds.renew(body);
  }
}
