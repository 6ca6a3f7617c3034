package dev.weir.server.http;

import io.micronaut.http.HttpRequest;

/** A segment of a path, unescaped. */
public final class PathSegment {
  private PathSegment() {}

  /**
   * The segment behind this number of slashes. A plus is a plus there, though Micronaut would make
   * it a space.
   *
   * @throws ProblemException if it is not percent-encoded UTF-8
   */
  public static String of(HttpRequest<?> request, int slashes) {
    return PercentEncoding.decode(request.getPath().split("/", -1)[slashes]);
  }
}
