package dev.weir.http.bodies;

import dev.weir.http.endpoints.Endpoint;
import dev.weir.http.endpoints.MediaTypes;
import dev.weir.http.endpoints.StreamsLines;
import dev.weir.http.endpoints.TooLargeHint;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import java.util.Locale;

/**
 * Rejects bodies that are too large or have an unsupported encoding, based on their headers. A
 * client that sends {@code Expect: 100-continue} is rejected before it sends the body. Bodies
 * without a declared length meet the same limit where they are read.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
public final class BodyLimitFilter {
  /**
   * Max size of a body in bytes. Does not apply to a stream of lines, whose lines are limited
   * instead.
   */
  public static final int MAX_BODY_BYTES = 1024 * 1024;

  private static final String TOO_LARGE = "The body is larger than 1 MiB.";

  /** Returns the problem for a body that is too large, with the advice of its endpoint. */
  public static Problem tooLarge(HttpRequest<?> request) {
    String hint =
        Endpoint.of(request)
            .flatMap(metadata -> metadata.stringValue(TooLargeHint.class))
            .map(sentence -> " " + sentence)
            .orElse("");
    return Problem.of(413, "too-large", TOO_LARGE + hint);
  }

  @RequestFilter
  void check(HttpRequest<?> request) {
    if (!isStream(request) && request.getContentLength() > MAX_BODY_BYTES) {
      throw new ProblemException(tooLarge(request));
    }
    // A supported encoding has already been decoded, and its header removed. Proxies that ask about
    // a request copy the header, but not the body.
    String encoding = request.getHeaders().get(HttpHeaders.CONTENT_ENCODING);
    if (encoding != null
        && !encoding.toLowerCase(Locale.ROOT).equals("identity")
        && hasBody(request)) {
      throw new ProblemException(
          Problem.of(
              415,
              "unsupported-media-type",
              "The body may be compressed by gzip or deflate only."));
    }
  }

  private static boolean isStream(HttpRequest<?> request) {
    return MediaTypes.isNdjson(request)
        || (MediaTypes.isCsv(request) && Endpoint.has(request, StreamsLines.class));
  }

  private static boolean hasBody(HttpRequest<?> request) {
    return request.getContentLength() > 0
        || request.getHeaders().contains(HttpHeaders.TRANSFER_ENCODING);
  }
}
