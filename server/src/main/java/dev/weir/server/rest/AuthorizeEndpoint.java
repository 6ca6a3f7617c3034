package dev.weir.server.rest;

import dev.weir.engine.rules.RateLimitFields;
import dev.weir.engine.rules.Verdict;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

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

  /** Only a grant has it, and no other endpoint: any other 200 must not be taken for one. */
  private static final String DECISION = "Weir-Decision";

  private static final String GRANTED = "granted";

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
  // A proxy copies its client's Accept, which is about what the service answers.
  @Produces(MediaType.ALL)
  CompletionStage<HttpResponse<byte[]>> authorize(HttpRequest<?> request) {
    Configured configured = Configured.read(request);
    HttpStatus refusal = configured.refusal();
    OriginalRequest original;
    try {
      original = OriginalRequest.of(request, configured.source(), settings.trustedProxies());
    } catch (OriginalRequest.UnclearException e) {
      return unclear(e, refusal);
    }
    return limits.isBlocking()
        ? CompletableFuture.supplyAsync(
                () -> decide(request, original, refusal), Thread.ofVirtual()::start)
            .thenCompose(answer -> answer)
        : decide(request, original, refusal);
  }

  private CompletionStage<HttpResponse<byte[]>> decide(
      HttpRequest<?> request, OriginalRequest original, HttpStatus refusal) {
    Verdict verdict;
    try {
      verdict = limits.desk().decideWithoutLeases(original);
    } catch (OriginalRequest.UnclearException e) {
      return unclear(e, refusal);
    }
    return answer(request, verdict, refusal);
  }

  private CompletionStage<HttpResponse<byte[]>> answer(
      HttpRequest<?> request, Verdict verdict, HttpStatus refusal) {
    return verdict instanceof Verdict.Queued queued
        ? waits.after(request, queued, settled -> response(settled, refusal))
        : CompletableFuture.completedFuture(response(verdict, refusal));
  }

  private static HttpResponse<byte[]> response(Verdict verdict, HttpStatus refusal) {
    MutableHttpResponse<byte[]> response =
        verdict instanceof Verdict.Refused refused
            ? Problems.answer(CheckJson.problem(refused)).status(refusal)
            : HttpResponse.<byte[]>ok().header(DECISION, GRANTED);
    RateLimitFields.add(response::header, verdict);
    return response;
  }

  /** For a proxy that knows only 401 and 403, this is a refusal like any other. */
  private static CompletionStage<HttpResponse<byte[]>> unclear(
      OriginalRequest.UnclearException e, HttpStatus refusal) {
    MutableHttpResponse<byte[]> response = Problems.answer(e.problem());
    return CompletableFuture.completedFuture(
        refusal == HttpStatus.TOO_MANY_REQUESTS ? response : response.status(refusal));
  }

  /**
   * What the proxy says of itself in the URL that it asks, where no client can write.
   *
   * @param refusal the status of a refusal: nginx knows only 401 and 403 from its sub-request
   * @param source which headers the proxy is configured to send, if it says so
   */
  private record Configured(HttpStatus refusal, Optional<OriginalRequest.Source> source) {
    static Configured read(HttpRequest<?> request) {
      Fields query = Fields.of(request.getParameters());
      Configured configured = new Configured(refusal(query), source(query));
      query.refuseOtherParameters();
      query.throwIfWrong();
      return configured;
    }

    private static HttpStatus refusal(Fields query) {
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
      return status;
    }

    private static Optional<OriginalRequest.Source> source(Fields query) {
      return query
          .text("headers")
          .flatMap(
              text ->
                  switch (text) {
                    case "original" -> Optional.of(OriginalRequest.Source.ORIGINAL);
                    case "forwarded" -> Optional.of(OriginalRequest.Source.FORWARDED);
                    default -> {
                      query.wrong(
                          "headers",
                          "must be original or forwarded, not \"%s\"".formatted(Excerpt.of(text)));
                      yield Optional.empty();
                    }
                  });
    }
  }
}
