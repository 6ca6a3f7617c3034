package dev.weir.server.rules;

import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.problems.Problem;
import io.micronaut.context.annotation.Requires;
import io.micronaut.core.util.StringUtils;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import java.util.concurrent.CompletionStage;

/** Checks rules on the thread that read the request, with a store that never blocks. */
@Controller("/api/v1/check")
@RequiresRole(RequiresRole.Role.CLIENT)
@Requires(property = CheckSettings.BLOCKING, notEquals = StringUtils.TRUE)
final class EventLoopCheckEndpoint {
  private final Checks checks;

  EventLoopCheckEndpoint(Checks checks) {
    this.checks = checks;
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  CompletionStage<HttpResponse<byte[]>> check(HttpRequest<?> request, @Body byte[] body) {
    return checks.check(request, body);
  }
}
