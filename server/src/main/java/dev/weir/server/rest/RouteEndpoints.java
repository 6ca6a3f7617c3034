package dev.weir.server.rest;

import dev.weir.engine.routes.Route;
import dev.weir.engine.routes.RouteChange;
import dev.weir.engine.routes.Routes;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
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
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Routes of the gateway: make, change and remove them, look at them. */
@Controller("/api/admin/routes")
@Needs(Needs.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class RouteEndpoints {
  private static final Logger log = LoggerFactory.getLogger(RouteEndpoints.class);
  private static final String ID = "/{id:[^/]+}";
  private static final int ID_SEGMENT = 4;

  private final Routing routing;

  RouteEndpoints(Routing routing) {
    this.routing = routing;
  }

  @Get
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> all() {
    return Responses.json(
        json -> {
          json.writeStartArray();
          for (Route route : routing.routes().all()) {
            RouteJson.write(json, route);
          }
          json.writeEndArray();
        });
  }

  @Get(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> find(HttpRequest<?> request) {
    long id = id(request);
    return answer(HttpStatus.OK, routing.routes().find(id).orElseThrow(() -> unknown(request)));
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> create(HttpRequest<?> request, @Body byte[] body) {
    Route.Terms terms = RouteJson.read(Json.read(body, 0, body.length));
    Route route = done(request, terms, routing.routes().create(terms, Caller.of(request))).route();
    log.info("Route changed: none → {}", text(route));
    return answer(HttpStatus.CREATED, route)
        .header(HttpHeaders.LOCATION, "/api/admin/routes/" + route.id());
  }

  @Put(ID)
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> change(HttpRequest<?> request, @Body byte[] body) {
    long id = id(request);
    Route.Terms terms = RouteJson.read(Json.read(body, 0, body.length));
    RouteChange.Done done =
        done(
            request,
            terms,
            routing.routes().change(id, IfMatch.version(request), terms, Caller.of(request)));
    log.info("Route changed: {} → {}", text(done.before().orElseThrow()), text(done.route()));
    return answer(HttpStatus.OK, done.route());
  }

  @Delete(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> remove(HttpRequest<?> request) {
    long id = id(request);
    Route known = routing.routes().find(id).orElseThrow(() -> unknown(request));
    RouteChange.Done done =
        done(
            request,
            known.terms(),
            routing.routes().remove(id, IfMatch.version(request), Caller.of(request)));
    log.info("Route changed: {} → none", text(done.route()));
    return HttpResponse.noContent();
  }

  /** Other nodes are told by the store; who asks this one next must not go the old way. */
  private RouteChange.Done done(HttpRequest<?> request, Route.Terms terms, RouteChange change) {
    return switch (change) {
      case RouteChange.Done done -> {
        routing.book().refresh();
        yield done;
      }
      case RouteChange.Unknown unknown -> throw unknown(request);
      case RouteChange.Stale stale ->
          throw new ProblemException(
              Problem.of(
                  412,
                  "route-changed",
                  "Somebody has changed the route: its version is %d now."
                      .formatted(stale.current().version())));
      case RouteChange.PathTaken taken ->
          throw new ProblemException(
              Problem.of(
                  409,
                  "path-taken",
                  "There is a route for %s already.".formatted(terms.path().text())));
      case RouteChange.TooMany many ->
          throw new ProblemException(
              Problem.of(
                  409, "too-many-routes", "There are %d routes already.".formatted(Routes.MOST)));
    };
  }

  private static MutableHttpResponse<byte[]> answer(HttpStatus status, Route route) {
    return Responses.json(status, json -> RouteJson.write(json, route))
        .header(HttpHeaders.ETAG, "\"" + route.version() + "\"");
  }

  /** What is no number is no route's id. */
  private static long id(HttpRequest<?> request) {
    try {
      return Long.parseLong(PathSegment.of(request, ID_SEGMENT));
    } catch (NumberFormatException e) {
      throw unknown(request);
    }
  }

  private static ProblemException unknown(HttpRequest<?> request) {
    return new ProblemException(
        Problem.of(
            404,
            "unknown-route",
            "There is no route with the id %s."
                .formatted(Excerpt.of(PathSegment.of(request, ID_SEGMENT)))));
  }

  private static String text(Route route) {
    return new String(Json.bytes(json -> RouteJson.write(json, route)), StandardCharsets.UTF_8);
  }
}
