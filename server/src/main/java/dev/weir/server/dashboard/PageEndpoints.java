package dev.weir.server.dashboard;

import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Serves the files of the page. They are open to everyone, like the page to try the API: all they
 * show comes from endpoints that require a role.
 */
@Controller
@ExecuteOn(TaskExecutors.VIRTUAL)
final class PageEndpoints {
  /** Everything comes from this node, and no script or style is in the markup. */
  static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none';"
          + " form-action 'self'";

  private static final String FILES = "/ui/";
  private static final String START = "index.html";
  private static final String REVALIDATE = "no-cache";
  private static final String FOREVER = "public, max-age=31536000, immutable";
  private static final Pattern NOT_GZIP = Pattern.compile(";\\s*q=0(\\.0*)?\\s*$");

  private final PageFiles files;

  PageEndpoints(PageFiles files) {
    this.files = files;
  }

  @Get
  @Produces(MediaType.ALL)
  HttpResponse<byte[]> start(HttpRequest<?> request) {
    return file(request, START);
  }

  @Get("/ui/{path:.+}")
  @Produces(MediaType.ALL)
  HttpResponse<byte[]> file(HttpRequest<?> request) {
    // The path as it was sent: a file has one spelling.
    String path = request.getPath();
    return file(request, path.startsWith(FILES) ? path.substring(FILES.length()) : "");
  }

  private HttpResponse<byte[]> file(HttpRequest<?> request, String name) {
    PageFile file =
        files
            .find(name)
            .orElseThrow(
                () ->
                    new ProblemException(
                        Problem.of(
                            404,
                            "not-found",
                            "There is no file \"%s\".".formatted(Snippet.of(name)))));
    boolean isCompressed = file.isWorthCompressing() && takesGzip(request);
    MutableHttpResponse<byte[]> response =
        isKnown(request, file.entityTag(isCompressed))
            ? HttpResponse.notModified()
            // The length, because a response to HEAD has no body to take it from.
            : HttpResponse.ok(file.bytes(isCompressed))
                .contentLength(file.bytes(isCompressed).length)
                .header(HttpHeaders.CONTENT_TYPE, file.type());
    if (isCompressed && response.body() != null) {
      response.header(HttpHeaders.CONTENT_ENCODING, "gzip");
    }
    return response
        .header(HttpHeaders.ETAG, file.entityTag(isCompressed))
        .header(HttpHeaders.CACHE_CONTROL, file.isImmutable() ? FOREVER : REVALIDATE)
        .header(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING)
        .header("Content-Security-Policy", POLICY)
        .header("X-Content-Type-Options", "nosniff")
        .header("Referrer-Policy", "no-referrer")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("Cross-Origin-Resource-Policy", "same-origin");
  }

  /** Returns true if the caller has this form of the file (RFC 9110, 13.1.2). */
  private static boolean isKnown(HttpRequest<?> request, String entityTag) {
    return members(request, HttpHeaders.IF_NONE_MATCH)
        .map(tag -> tag.startsWith("W/") ? tag.substring(2) : tag)
        .anyMatch(List.of(entityTag, "*")::contains);
  }

  private static boolean takesGzip(HttpRequest<?> request) {
    return members(request, HttpHeaders.ACCEPT_ENCODING)
        .map(coding -> coding.toLowerCase(Locale.ROOT))
        .anyMatch(
            coding ->
                (coding.equals("gzip") || coding.startsWith("gzip;"))
                    && !NOT_GZIP.matcher(coding).find());
  }

  private static Stream<String> members(HttpRequest<?> request, String header) {
    return request.getHeaders().getAll(header).stream()
        .flatMap(list -> Stream.of(list.split(",", -1)))
        .map(String::strip);
  }
}
