package dev.weir.http.authentication;

import dev.weir.http.endpoints.AnyHost;
import dev.weir.http.endpoints.Endpoint;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.StreamsLines;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import io.micronaut.core.annotation.Order;
import io.micronaut.core.order.Ordered;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.http.server.netty.NettyHttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rejects requests that a page of another site makes a browser send to a node without a token:
 * those with a foreign {@code Host} or from another origin. Also reads a body only as its {@code
 * Content-Type}: to send JSON to another origin, a browser sends a preflight request first, which
 * is not allowed.
 *
 * <p>Endpoints with {@link AnyHost} accept any host: health probes, which change nothing and reveal
 * nothing, and proxies that check a request, which send the host of their client or their own. A
 * page that imitates a proxy could only use up limits.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class CrossSiteFilter {
  private static final Pattern WHOLE_ADDRESS = Pattern.compile("[^/?#]*://([^/?#]*)");

  private final AllowedHosts own;
  private final HttpSettings settings;

  CrossSiteFilter(AllowedHosts own, HttpSettings settings) {
    this.own = own;
    this.settings = settings;
  }

  @RequestFilter
  @Order(Ordered.HIGHEST_PRECEDENCE)
  void check(HttpRequest<?> request) {
    if (!own.isAny() && !Endpoint.has(request, AnyHost.class) && isReachedWithoutToken(request)) {
      List<String> hosts = hosts(request);
      for (String host : hosts) {
        if (!own.isOwn(host)) {
          throw new ProblemException(notOurs(host));
        }
      }
      if (isChange(request)) {
        refuseOtherOrigin(request, hosts);
      }
    }
    if (isChange(request) && hasBody(request) && isFound(request) && !isReadable(request)) {
      throw new ProblemException(
          Problem.of(
              415,
              "unsupported-media-type",
              "Send the body with Content-Type: %s."
                  .formatted(String.join(" or ", readableTypes(request)))));
    }
  }

  /**
   * Returns true if a page of another site could use the node, or at least this endpoint: it knows
   * no token.
   */
  private boolean isReachedWithoutToken(HttpRequest<?> request) {
    return settings.isOpen(RequiresRole.Role.ADMIN)
        || settings.isOpen(RequiresRole.Role.CLIENT)
        || Endpoint.of(request).flatMap(Endpoint::role).filter(settings::isOpen).isPresent();
  }

  /**
   * Returns every host of the request; all of them must be accepted. A target in absolute form
   * names a host too (RFC 9112, 3.2.2).
   */
  private static List<String> hosts(HttpRequest<?> request) {
    List<String> hosts = new ArrayList<>(request.getHeaders().getAll(HttpHeaders.HOST));
    if (request instanceof NettyHttpRequest<?> netty) {
      // Micronaut's URI has only its path and query.
      Matcher whole = WHOLE_ADDRESS.matcher(netty.getNativeRequest().uri());
      if (whole.lookingAt()) {
        hosts.add(whole.group(1));
      }
    }
    return hosts;
  }

  private static Problem notOurs(String host) {
    return Problem.of(
        421,
        "misdirected",
        ("Without a token, Weir answers only to its own names, not to \"%s\". If that is one of"
                + " them, add it to weir.allowed-hosts.")
            .formatted(Snippet.of(host)));
  }

  /** Rejects a foreign origin. Programs send none; a browser sends the origin of the page. */
  private static void refuseOtherOrigin(HttpRequest<?> request, List<String> hosts) {
    String origin = request.getHeaders().get(HttpHeaders.ORIGIN);
    if (origin == null) {
      return;
    }
    String authority = origin.substring(origin.indexOf("://") < 0 ? 0 : origin.indexOf("://") + 3);
    if (hosts.stream().noneMatch(authority::equalsIgnoreCase)) {
      throw new ProblemException(
          Problem.of(
              403,
              "other-origin",
              "Without a token, pages of other sites may not change anything."));
    }
  }

  private static boolean isChange(HttpRequest<?> request) {
    HttpMethod method = request.getMethod();
    return method != HttpMethod.GET && method != HttpMethod.HEAD && method != HttpMethod.OPTIONS;
  }

  private static boolean hasBody(HttpRequest<?> request) {
    return request.getContentLength() > 0
        || request.getHeaders().contains(HttpHeaders.TRANSFER_ENCODING);
  }

  /** Returns true if an endpoint was matched. A missing endpoint is a 404, whatever the body. */
  private static boolean isFound(HttpRequest<?> request) {
    return Endpoint.of(request).isPresent();
  }

  private static boolean isReadable(HttpRequest<?> request) {
    String type = request.getContentType().map(MediaType::getName).orElse("");
    // JSON where it is not consumed is rejected later.
    return type.equalsIgnoreCase(MediaType.APPLICATION_JSON)
        || readableTypes(request).contains(type.toLowerCase(Locale.ROOT));
  }

  private static List<String> readableTypes(HttpRequest<?> request) {
    return Endpoint.has(request, StreamsLines.class)
        ? Endpoint.of(request)
            .map(metadata -> List.of(metadata.stringValues(Consumes.class)))
            .orElse(List.of())
        : List.of(MediaType.APPLICATION_JSON);
  }
}
