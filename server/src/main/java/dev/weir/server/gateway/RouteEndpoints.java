package dev.weir.server.gateway;

import dev.weir.http.endpoints.RegistryResource;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.problems.Problem;
import dev.weir.routes.internal.Route;
import dev.weir.routes.internal.RouteSpec;
import dev.weir.routes.internal.RouteTable;
import dev.weir.routes.internal.Routes;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.Put;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;

/** HTTP endpoints that list, create, change and remove the routes of the gateway. */
@Controller("/api/admin/routes")
@RequiresRole(RequiresRole.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class RouteEndpoints {
  private static final RegistryResource.Words WORDS =
      new RegistryResource.Words(
          "route",
          "path",
          new RegistryResource.Kind(404, "unknown-route"),
          new RegistryResource.Kind(412, "route-changed"),
          new RegistryResource.Kind(409, "path-taken"),
          new RegistryResource.Kind(409, "too-many-routes"));
  private static final String ID = "/{id:[^/]+}";

  private final Routes kept;
  private final RegistryResource<RouteSpec, Route> routes;

  RouteEndpoints(Routes kept, RouteTable table) {
    this.kept = kept;
    this.routes =
        new RegistryResource<>(
            WORDS, kept, table::refresh, RouteJson::read, RouteJson::writeMembers);
  }

  @Get
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> all() {
    return routes.list(kept.all());
  }

  @Get(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> find(HttpRequest<?> request) {
    return routes.find(request);
  }

  @Get(ID + "/versions")
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> versions(HttpRequest<?> request) {
    return routes.versions(request);
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> create(HttpRequest<?> request, @Body byte[] body) {
    return routes.create(request, body);
  }

  @Put(ID)
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> change(HttpRequest<?> request, @Body byte[] body) {
    return routes.change(request, body);
  }

  @Delete(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> remove(HttpRequest<?> request) {
    return routes.remove(request);
  }
}
