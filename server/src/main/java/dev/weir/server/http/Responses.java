package dev.weir.server.http;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;

/** Creates JSON responses. */
public final class Responses {
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
}
