package dev.weir.server.rest;

import dev.weir.engine.rules.AmbiguousPathException;
import dev.weir.engine.rules.RateLimitFields;
import dev.weir.engine.rules.Request;
import dev.weir.engine.rules.RequestPath;
import dev.weir.engine.rules.Verdict;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * May this request pass? For proxies that ask about each request by one of their own, such as
 * nginx, Traefik and Caddy: the answer is a status and header fields.
 *
 * <p>Rules of concurrency are not asked: such a proxy never tells when a request is over.
 */
@Controller("/api/v1/authorize")
@Needs(Needs.Role.CLIENT)
final class AuthorizeEndpoint {
  private static final String DEFAULT_REFUSAL = "429";

  private final Limits limits;
  private final RestSettings settings;
  private final Waits waits;

  AuthorizeEndpoint(Limits limits, RestSettings settings, Waits waits) {
    this.limits = limits;
    this.settings = settings;
    this.waits = waits;
  }

  @Get
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  CompletionStage<HttpResponse<byte[]>> authorize(HttpRequest<?> request) {
    HttpStatus refusal = refusal(request);
    Request original;
    try {
      original = original(request);
    } catch (AmbiguousPathException e) {
      return CompletableFuture.completedFuture(ambiguous(e, refusal));
    }
    return limits.isBlocking()
        ? CompletableFuture.supplyAsync(
                () -> limits.desk().decideWithoutLeases(original), Thread.ofVirtual()::start)
            .thenCompose(verdict -> answer(request, verdict, refusal))
        : answer(request, limits.desk().decideWithoutLeases(original), refusal);
  }

  private CompletionStage<HttpResponse<byte[]>> answer(
      HttpRequest<?> request, Verdict verdict, HttpStatus refusal) {
    MutableHttpResponse<byte[]> response =
        verdict instanceof Verdict.Refused refused
            ? Problems.answer(CheckJson.problem(refused)).status(refusal)
            : HttpResponse.ok();
    RateLimitFields.add(response::header, verdict);
    return verdict instanceof Verdict.Queued queued
        ? waits.after(request, queued, response)
        : CompletableFuture.completedFuture(response);
  }

  /** To who knows only 401 and 403 this is a refusal like any other. */
  private static HttpResponse<byte[]> ambiguous(AmbiguousPathException e, HttpStatus refusal) {
    MutableHttpResponse<byte[]> response =
        Problems.answer(Problem.of(400, "invalid-path", String.valueOf(e.getMessage())));
    return refusal == HttpStatus.TOO_MANY_REQUESTS ? response : response.status(refusal);
  }

  /** nginx knows only 401 and 403 as a refusal of its sub-request. */
  private static HttpStatus refusal(HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    String given = query.text("refuse").orElse(DEFAULT_REFUSAL);
    HttpStatus status =
        switch (given) {
          case "403" -> HttpStatus.FORBIDDEN;
          case "401" -> HttpStatus.UNAUTHORIZED;
          default -> HttpStatus.TOO_MANY_REQUESTS;
        };
    if (!given.equals(Integer.toString(status.getCode()))) {
      query.wrong("refuse", "must be 401, 403 or 429, not \"%s\"".formatted(Excerpt.of(given)));
    }
    query.refuseOtherParameters();
    query.throwIfWrong();
    return status;
  }

  /** The request that the proxy was asked. */
  private Request original(HttpRequest<?> request) {
    String target =
        first(request, "X-Original-URI", "X-Forwarded-Uri")
            .orElseThrow(
                () ->
                    new ProblemException(
                        Problem.of(
                            400,
                            "invalid-request",
                            "Send the original request in X-Original-URI and X-Original-Method,"
                                + " or in X-Forwarded-Uri and X-Forwarded-Method.")));
    String method =
        first(request, "X-Original-Method", "X-Forwarded-Method")
            .orElse("GET")
            .toUpperCase(Locale.ROOT);
    return new Original(method, RequestPath.ofUnchanged(target), client(request), request);
  }

  private String client(HttpRequest<?> request) {
    InetAddress peer = request.getRemoteAddress().getAddress();
    return settings
        .trustedProxies()
        .client(
            peer.getHostAddress(),
            request.getHeaders().getAll("Forwarded"),
            request.getHeaders().getAll("X-Forwarded-For"));
  }

  private static Optional<String> first(HttpRequest<?> request, String one, String other) {
    return request.getHeaders().findFirst(one).or(() -> request.getHeaders().findFirst(other));
  }

  private record Original(
      String method, RequestPath path, String clientAddress, HttpRequest<?> asking)
      implements Request {
    @Override
    public @Nullable String header(String name) {
      return asking.getHeaders().get(name);
    }
  }
}
