package dev.weir.http.authentication;

import dev.weir.http.endpoints.Caller;
import dev.weir.http.endpoints.Endpoint;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.oidc.Issuer;
import dev.weir.http.oidc.Verdict;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/**
 * Rejects requests whose caller lacks the required role. It checks the endpoint that was matched,
 * not the text of the path, so no spelling of a path can bypass it.
 *
 * <p>Configured tokens and keys are compared on the thread that read the request. Tokens of an
 * issuer are verified on a virtual thread, because that is CPU-intensive and may call the issuer.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class AuthFilter {
  /**
   * Runs before all other filters, so that a caller without a valid token learns nothing about an
   * endpoint.
   */
  private static final int FIRST = -100;

  private static final String CHALLENGE = "WWW-Authenticate";
  private static final String REALM = "Bearer realm=\"weir\"";

  private final HttpSettings settings;
  private final FailedLogins failures;
  private final ExecutorService threads;

  AuthFilter(
      HttpSettings settings,
      FailedLogins failures,
      @Named(TaskExecutors.VIRTUAL) ExecutorService threads) {
    this.settings = settings;
    this.failures = failures;
    this.threads = threads;
  }

  @RequestFilter
  @Order(FIRST)
  CompletableFuture<HttpRequest<?>> check(HttpRequest<?> request) {
    Optional<RequiresRole.Role> role = Endpoint.of(request).flatMap(Endpoint::role);
    if (role.isEmpty() || settings.isOpen(role.get())) {
      return CompletableFuture.completedFuture(request);
    }
    String token = token(request);
    Optional<Issuer> issuer = settings.issuer();
    if (isOpenedByOwn(request, role.get(), token, issuer.isPresent())) {
      Caller.set(request, Caller.OWN_TOKEN);
      return CompletableFuture.completedFuture(request);
    }
    return CompletableFuture.supplyAsync(
        () -> {
          refuseUnlessVouchedFor(request, role.get(), token, issuer.orElseThrow());
          return request;
        },
        threads);
  }

  private String token(HttpRequest<?> request) {
    List<String> given = request.getHeaders().getAll("Authorization");
    if (given.size() > 1) {
      // A proxy may have checked the other header.
      throw new ProblemException(
          Problem.of(
              400,
              "bad-request",
              "Send one header Authorization, not %d.".formatted(given.size())));
    }
    return given.stream()
        .findFirst()
        .flatMap(BearerToken::of)
        .orElseThrow(
            () ->
                refused(
                    AuthMetrics.Failure.MISSING,
                    request,
                    new ProblemException(BearerToken.missing(), Map.of(CHALLENGE, REALM))));
  }

  /**
   * Returns true if a configured token or key grants access to the endpoint. Throws if it does not,
   * unless the token is unknown here and an issuer can still verify it.
   */
  private boolean isOpenedByOwn(
      HttpRequest<?> request, RequiresRole.Role role, String token, boolean mayAskIssuer) {
    boolean admin = settings.isAdmin(token);
    boolean client = settings.isClient(token);
    if (admin || (client && role != RequiresRole.Role.ADMIN)) {
      return true;
    }
    if (client || !mayAskIssuer) {
      throw refused(
          client ? AuthMetrics.Failure.NOT_ALLOWED : AuthMetrics.Failure.INVALID,
          request,
          new ProblemException(notAllowed()));
    }
    return false;
  }

  private void refuseUnlessVouchedFor(
      HttpRequest<?> request, RequiresRole.Role role, String token, Issuer issuer) {
    switch (issuer.judge(token)) {
      case Verdict.Vouched vouched -> {
        if (role == RequiresRole.Role.ADMIN && !vouched.isAdmin()) {
          throw refused(
              AuthMetrics.Failure.NOT_ALLOWED,
              request,
              new ProblemException(
                  notAllowed(), Map.of(CHALLENGE, REALM + ", error=\"insufficient_scope\"")));
        }
        Caller.set(request, vouched.subject());
      }
      case Verdict.Invalid invalid ->
          throw refused(
              AuthMetrics.Failure.INVALID,
              request,
              new ProblemException(
                  Problem.of(
                      401,
                      "token-invalid",
                      "This token is not valid now, not for Weir, or unknown."),
                  Map.of(CHALLENGE, REALM + ", error=\"invalid_token\"")));
      case Verdict.Unknown unknown ->
          throw new ProblemException(
              Problem.of(
                  503,
                  "issuer-unavailable",
                  "This token cannot be verified now: its issuer does not answer. Try again soon."),
              Map.of("Retry-After", "5"));
    }
  }

  /** Records a refusal and returns it. */
  private ProblemException refused(
      AuthMetrics.Failure failure, HttpRequest<?> request, ProblemException refusal) {
    failures.record(failure, request, settings.trustedProxies());
    return refusal;
  }

  private static Problem notAllowed() {
    return Problem.of(403, "not-allowed", "This token does not permit this endpoint.");
  }
}
