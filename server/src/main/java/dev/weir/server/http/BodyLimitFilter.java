package dev.weir.server.http;

import dev.weir.server.slots.BatchEndpoints;
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
public final class BodyLimitFilter {
  /** For everything but a stream of lines, which has no bound but that of its lines. */
  public static final int LARGEST_BODY_BYTES = 1024 * 1024;

  private static final String TOO_LARGE = "The body is larger than 1 MiB.";
  private static final String SLOTS = "/api/v1/slots";

  /** Says how many slots are asked for at once, to a caller that asks for slots. */
  public static Problem tooLarge(HttpRequest<?> request) {
    return Problem.of(
        413,
        "too-large",
        request.getPath().startsWith(SLOTS)
            ? TOO_LARGE + " Send many events as lines, " + BatchEndpoints.NDJSON + ", to /batch."
            : TOO_LARGE);
  }

  @RequestFilter
  void check(HttpRequest<?> request) {
    if (!BatchEndpoints.isLines(request) && request.getContentLength() > LARGEST_BODY_BYTES) {
      throw new ProblemException(tooLarge(request));
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
