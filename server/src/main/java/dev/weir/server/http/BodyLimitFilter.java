package dev.weir.server.http;

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

  /** The problem of a body that is too large, with the advice of its endpoint. */
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
    if (!MediaTypes.isNdjson(request) && request.getContentLength() > LARGEST_BODY_BYTES) {
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
