package dev.weir.server.rest;

import io.micronaut.http.HttpRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/** A segment of a path, unescaped. */
final class PathSegment {
  private PathSegment() {}

  /**
   * The segment behind so many slashes. A plus is a plus there, though Micronaut would make it a
   * space.
   */
  static String of(HttpRequest<?> request, int slashes) {
    String segment = request.getPath().split("/", -1)[slashes];
    return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
