package dev.weir.server.rest;

import io.micronaut.core.annotation.Order;
import io.micronaut.core.order.Ordered;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.http.server.netty.NettyHttpRequest;
import io.micronaut.web.router.RouteAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refuses what a page of another site makes a browser send to a Weir that asks for no token: under
 * a name that is not ours, or from another origin. And takes a body only for what its {@code
 * Content-Type} says: to send JSON elsewhere, a browser asks first, and is not allowed.
 *
 * <p>Two are answered under any name: probes of health, which change nothing and say nothing, and
 * proxies that ask about a request, which use the name of their client or of their own. A page that
 * asks like a proxy could only use up limits.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class PagesOfOthers {
  private static final String HEALTH = "/health/";
  private static final String AUTHORIZE = "/api/v1/authorize";
  private static final String BATCH = "/api/v1/slots/batch";
  private static final Pattern WHOLE_ADDRESS = Pattern.compile("[^/?#]*://([^/?#]*)");

  private final OwnHosts own;

  PagesOfOthers(OwnHosts own) {
    this.own = own;
  }

  @RequestFilter
  @Order(Ordered.HIGHEST_PRECEDENCE)
  void check(HttpRequest<?> request) {
    if (!own.isAny() && !isForAll(request.getPath())) {
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
    if (isChange(request) && hasBody(request) && isFound(request) && !isJson(request)) {
      throw new ProblemException(
          Problem.of(
              415, "unsupported-media-type", "Send the body with Content-Type: application/json."));
    }
  }

  /** All must be ours: a target that is a whole address names a host too (RFC 9112, 3.2.2). */
  private static List<String> hosts(HttpRequest<?> request) {
    List<String> hosts = new ArrayList<>(request.getHeaders().getAll(HttpHeaders.HOST));
    if (request instanceof NettyHttpRequest<?> netty) {
      // Micronaut's own URI has only the path and the query of it.
      Matcher whole = WHOLE_ADDRESS.matcher(netty.getNativeRequest().uri());
      if (whole.lookingAt()) {
        hosts.add(whole.group(1));
      }
    }
    return hosts;
  }

  private static boolean isForAll(String path) {
    return path.startsWith(HEALTH) || path.equals(AUTHORIZE);
  }

  private static Problem notOurs(String host) {
    return Problem.of(
        421,
        "misdirected",
        ("On loopback and without a token, Weir answers only to its own names, not to \"%s\". If"
                + " that is one, put it into weir.allowed-hosts.")
            .formatted(Excerpt.of(host)));
  }

  /** Programs send no origin; a browser sends that of the page. */
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
              "Pages of other sites may change nothing in a Weir without a token."));
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

  /** What is not there is told so, however it is asked. */
  private static boolean isFound(HttpRequest<?> request) {
    return RouteAttributes.getRouteMatch(request).isPresent();
  }

  private static boolean isJson(HttpRequest<?> request) {
    Optional<String> type = request.getContentType().map(MediaType::getName);
    return type.filter(MediaType.APPLICATION_JSON::equalsIgnoreCase).isPresent()
        || (BatchEndpoints.isLines(request) && request.getPath().equals(BATCH));
  }
}
