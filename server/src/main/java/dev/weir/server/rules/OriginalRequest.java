package dev.weir.server.rules;

import dev.weir.TrustedProxies;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.rules.matching.AmbiguousPathException;
import dev.weir.rules.matching.Request;
import dev.weir.rules.matching.RequestPath;
import dev.weir.rules.matching.internal.RepeatedHeaderException;
import dev.weir.rules.matching.internal.SingleHeader;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The request that a proxy received, as the proxy describes it in headers of its own request.
 *
 * <p>Proxies copy the headers of their clients into that request. A client can therefore add the
 * headers that its proxy does not write, and none of them can be trusted: if both kinds of headers
 * are present, or one of them twice, the request is refused.
 */
record OriginalRequest(String method, RequestPath path, String clientAddress, HttpHeaders asking)
    implements Request {

  /** The syntax of a token (RFC 9110, 5.6.2). */
  private static final Pattern METHOD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  /** The two kinds of headers that describe a request. */
  enum Source {
    /** Set in nginx configurations. */
    ORIGINAL("X-Original-URI", "X-Original-Method"),
    /** Sent by Traefik and Caddy. */
    FORWARDED("X-Forwarded-Uri", "X-Forwarded-Method");

    private final String target;
    private final String method;

    Source(String target, String method) {
      this.target = target;
      this.method = method;
    }

    private boolean isIn(HttpHeaders headers) {
      return headers.contains(target) || headers.contains(method);
    }

    private Source other() {
      return this == ORIGINAL ? FORWARDED : ORIGINAL;
    }
  }

  /** Thrown if the request is ambiguous, which its client may have caused. */
  static final class UnclearException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    private UnclearException(Problem problem) {
      super(problem.detail());
      this.problem = problem;
    }

    Problem problem() {
      return problem;
    }
  }

  /**
   * Reads the original request.
   *
   * @param configured the headers that the proxy is configured to send; if empty, either kind is
   *     accepted
   * @throws UnclearException if it is ambiguous
   * @throws ProblemException if it is not described at all
   */
  static OriginalRequest of(
      HttpRequest<?> request, Optional<Source> configured, TrustedProxies proxies) {
    HttpHeaders headers = request.getHeaders();
    Source source =
        configured.orElse(Source.ORIGINAL.isIn(headers) ? Source.ORIGINAL : Source.FORWARDED);
    Source other = source.other();
    if (other.isIn(headers)) {
      String text =
          configured.isEmpty()
              ? "The request is described twice. Have the proxy remove %s and %s, or %s and %s."
              : "The proxy is configured to send %s and %s. Have it remove %s and %s.";
      throw new UnclearException(
          Problem.of(
              400,
              "ambiguous-request",
              text.formatted(source.target, source.method, other.target, other.method)));
    }
    String target =
        single(headers, source.target)
            .orElseThrow(
                () ->
                    new ProblemException(
                        Problem.of(
                            400,
                            "invalid-request",
                            "Send the original request in X-Original-URI and X-Original-Method,"
                                + " or in X-Forwarded-Uri and X-Forwarded-Method.")));
    String method = single(headers, source.method).orElse("GET");
    if (!METHOD.matcher(method).matches()) {
      throw new UnclearException(
          Problem.of(
              400,
              "ambiguous-request",
              "%s must be one method, not \"%s\".".formatted(source.method, Snippet.of(method))));
    }
    String client =
        proxies.client(
            request.getRemoteAddress().getAddress().getHostAddress(),
            headers.getAll("Forwarded"),
            headers.getAll("X-Forwarded-For"));
    return new OriginalRequest(method, path(target), client, headers);
  }

  private static RequestPath path(String target) {
    try {
      return RequestPath.ofUnchanged(target);
    } catch (AmbiguousPathException e) {
      throw new UnclearException(Problem.of(400, "invalid-path", String.valueOf(e.getMessage())));
    }
  }

  private static Optional<String> single(HttpHeaders headers, String name) {
    List<String> values = headers.getAll(name);
    if (values.size() > 1) {
      throw new UnclearException(
          Problem.of(
              400,
              "ambiguous-request",
              "The header %s occurs %d times.".formatted(name, values.size())));
    }
    return values.stream().findFirst();
  }

  /**
   * {@inheritDoc}
   *
   * @throws UnclearException if the header occurs more than once
   */
  @Override
  public @Nullable String header(String name) {
    try {
      return SingleHeader.value(name, asking.getAll(name), asking.names().iterator());
    } catch (RepeatedHeaderException e) {
      throw new UnclearException(
          Problem.of(400, "repeated-header", String.valueOf(e.getMessage())));
    }
  }
}
