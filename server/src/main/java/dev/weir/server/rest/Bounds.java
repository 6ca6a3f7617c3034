package dev.weir.server.rest;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import java.util.Locale;

/**
 * Turns away bodies that are too large or packed in a way that nobody here can unpack, by their
 * headers: before they are sent, where the client asks first. Bodies that do not say how large they
 * are meet the same bound where they are read.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class Bounds {
  /** For everything but a stream of lines, which has no bound but that of its lines. */
  static final int LARGEST_BODY_BYTES = 1024 * 1024;

  static final Problem TOO_LARGE =
      Problem.of(
          413,
          "too-large",
          "The body is over the bound of 1 MiB. Many events at once are best sent as lines, "
              + BatchEndpoints.NDJSON
              + ".");

  @RequestFilter
  void check(HttpRequest<?> request) {
    if (!BatchEndpoints.isLines(request) && request.getContentLength() > LARGEST_BODY_BYTES) {
      throw new ProblemException(TOO_LARGE);
    }
    // What could be unpacked has been, and its header is gone.
    String encoding = request.getHeaders().get(HttpHeaders.CONTENT_ENCODING);
    if (encoding != null && !encoding.toLowerCase(Locale.ROOT).equals("identity")) {
      throw new ProblemException(
          Problem.of(
              415, "unsupported-media-type", "The body may be packed by gzip or deflate only."));
    }
  }
}
