package dev.weir.server.operations;

import dev.weir.http.endpoints.MediaTypes;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.http.server.annotation.PreMatching;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Redirects to the interactive API page, whose files are static resources. */
@Controller
@ServerFilter("/docs/**")
final class DocsEndpoints {
  /**
   * Swagger UI sets style attributes and uses data: images; everything else comes from this node.
   */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
          + " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none';"
          + " frame-ancestors 'none'";

  private static final List<String> METHODS = List.of("GET", "HEAD");

  private final byte[] openApi;

  DocsEndpoints() throws IOException {
    try (InputStream in = DocsEndpoints.class.getResourceAsStream("/openapi.yaml")) {
      this.openApi = Objects.requireNonNull(in, "openapi.yaml").readAllBytes();
    }
  }

  @Get("/openapi.yaml")
  @Produces(MediaTypes.YAML)
  byte[] openApi() {
    return openApi;
  }

  @Get("/docs")
  HttpResponse<?> page() {
    return HttpResponse.redirect(URI.create("/docs/index.html"));
  }

  /** Micronaut would answer any method with the file. */
  @PreMatching
  @RequestFilter
  void refuseOtherMethods(HttpRequest<?> request) {
    if (!METHODS.contains(request.getMethodName())) {
      throw new ProblemException(
          Problem.of(
              405,
              "method-not-allowed",
              "There is no method %s here.".formatted(Snippet.of(request.getMethodName()))),
          Map.of(HttpHeaders.ALLOW, String.join(", ", METHODS)));
    }
  }

  @ResponseFilter
  void protect(HttpRequest<?> request, MutableHttpResponse<?> response) {
    response.header("Content-Security-Policy", POLICY).header("X-Content-Type-Options", "nosniff");
  }
}
