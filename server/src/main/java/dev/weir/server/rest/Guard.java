package dev.weir.server.rest;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.web.router.RouteAttributes;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Optional;

/**
 * Lets only those pass who may. It goes by the endpoint that was found, not by the text of the
 * path, so that no spelling of a path gets around it.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class Guard {
  private static final String BEARER = "Bearer ";

  private final RestSettings settings;

  Guard(RestSettings settings) {
    this.settings = settings;
  }

  @RequestFilter
  void check(HttpRequest<?> request) {
    RouteAttributes.getRouteMatch(request)
        .flatMap(
            route ->
                route
                    .getRouteInfo()
                    .getAnnotationMetadata()
                    .enumValue(Needs.class, Needs.Role.class))
        .ifPresent(role -> check(role, token(request)));
  }

  private void check(Needs.Role role, Optional<String> token) {
    boolean open =
        switch (role) {
          case ADMIN -> settings.adminToken().isEmpty();
          case CLIENT -> settings.clientKeys().isEmpty();
        };
    if (open) {
      return;
    }
    if (token.isEmpty()) {
      throw new ProblemException(
          Problem.of(401, "token-missing", "Send the header Authorization: Bearer with a token."),
          Map.of("WWW-Authenticate", "Bearer realm=\"weir\""));
    }
    boolean admin = settings.adminToken().filter(own -> same(own, token.get())).isPresent();
    boolean client = false;
    for (String key : settings.clientKeys()) {
      client |= same(key, token.get());
    }
    if (!admin && (role == Needs.Role.ADMIN || !client)) {
      throw new ProblemException(
          Problem.of(403, "not-allowed", "This token does not open this endpoint."));
    }
  }

  private static Optional<String> token(HttpRequest<?> request) {
    return request
        .getHeaders()
        .findFirst("Authorization")
        .filter(header -> header.regionMatches(true, 0, BEARER, 0, BEARER.length()))
        .map(header -> header.substring(BEARER.length()).trim());
  }

  /** Takes as long for a near miss as for a far one. */
  private static boolean same(String one, String other) {
    return MessageDigest.isEqual(
        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }
}
