package dev.weir.http.endpoints;

import dev.weir.http.json.Json;
import dev.weir.http.problems.Problem;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;

/** Creates responses of JSON and of problems. */
public final class Responses {
  private static final MediaType PROBLEM = MediaType.of(Problem.MEDIA_TYPE);

  private Responses() {}

  public static MutableHttpResponse<byte[]> json(Json.Part part) {
    return json(HttpStatus.OK, part);
  }

  public static MutableHttpResponse<byte[]> json(HttpStatus status, Json.Part part) {
    byte[] body = Json.bytes(part);
    return HttpResponse.<byte[]>status(status)
        .contentType(MediaType.APPLICATION_JSON_TYPE)
        .contentLength(body.length)
        .body(body);
  }

  public static MutableHttpResponse<byte[]> problem(Problem problem) {
    return problem(HttpResponse.ok(), problem);
  }

  /** Makes a response one with the problem. */
  public static MutableHttpResponse<byte[]> problem(
      MutableHttpResponse<?> response, Problem problem) {
    byte[] body = problem.toJson();
    // The length keeps the connection open where no body follows, in responses to HEAD.
    return response
        .status(problem.status(), problem.title())
        .contentType(PROBLEM)
        .contentLength(body.length)
        .body(body);
  }
}
