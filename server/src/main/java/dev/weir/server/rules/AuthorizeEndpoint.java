package dev.weir.server.rules;

import dev.weir.http.authentication.HttpSettings;
import dev.weir.http.endpoints.AnyHost;
import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.Verdict;
import dev.weir.rules.VerdictFields;
import dev.weir.server.refusals.LimitProblems;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Authorizes requests for proxies that send a request of their own for each one, such as nginx,
 * Traefik and Caddy. The response is a status and header fields.
 *
 * <p>Concurrency rules are not checked: such a proxy never reports the end of a request.
 */
@Controller("/api/v1/authorize")
@RequiresRole(RequiresRole.Role.CLIENT)
final class AuthorizeEndpoint {
  private static final String DEFAULT_REFUSAL = "429";

  /**
   * A header that only a grant has, and no other endpoint sends: any other 200 must not pass for a
   * grant.
   */
  private static final String DECISION = "Weir-Decision";

  private static final String GRANTED = "granted";

  private final RuleEvaluator evaluator;
  private final CheckSettings checks;
  private final HttpSettings settings;
  private final DelayedResponses waits;

  AuthorizeEndpoint(
      RuleEvaluator evaluator,
      CheckSettings checks,
      HttpSettings settings,
      DelayedResponses waits) {
    this.evaluator = evaluator;
    this.checks = checks;
    this.settings = settings;
    this.waits = waits;
  }

  @Get
  @ReadsQuery
  @AnyHost
  // A proxy copies its client's Accept, which applies to the response of the service.
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
    return checks.isBlocking()
        ? CompletableFuture.supplyAsync(
                () -> decide(request, original, refusal), Thread.ofVirtual()::start)
            .thenCompose(answer -> answer)
        : decide(request, original, refusal);
  }

  /** The same by a method that no HTTP client repeats without being asked: it counts. */
  @Post
  @Consumes(MediaType.ALL)
  @ReadsQuery
  @AnyHost
  @Produces(MediaType.ALL)
  CompletionStage<HttpResponse<byte[]>> authorizeOnce(HttpRequest<?> request) {
    return authorize(request);
  }

  private CompletionStage<HttpResponse<byte[]>> decide(
      HttpRequest<?> request, OriginalRequest original, HttpStatus refusal) {
    Verdict verdict;
    try {
      verdict = evaluator.decideWithoutLeases(original);
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
            ? refusal(LimitProblems.of(refused), refusal)
            : HttpResponse.<byte[]>ok().header(DECISION, GRANTED);
    VerdictFields.add(response::header, verdict);
    return response;
  }

  /** Returns the response to an ambiguous request. */
  private static CompletionStage<HttpResponse<byte[]>> unclear(
      OriginalRequest.UnclearException e, HttpStatus refusal) {
    return CompletableFuture.completedFuture(refusal(e.problem(), refusal));
  }

  /** Returns a refusal. For a proxy that accepts only 401 and 403, all of them have its status. */
  private static MutableHttpResponse<byte[]> refusal(Problem problem, HttpStatus refusal) {
    MutableHttpResponse<byte[]> response = Responses.problem(problem);
    return refusal == HttpStatus.TOO_MANY_REQUESTS ? response : response.status(refusal);
  }

  /**
   * The configuration of the proxy, in the URL that it requests, which clients cannot change.
   *
   * @param refusal the status of a refusal: nginx accepts only 401 and 403 from its subrequest
   * @param source the headers that the proxy is configured to send; empty if not configured
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
        query.wrong("refuse", "must be 401, 403 or 429, not \"%s\"".formatted(Snippet.of(given)));
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
                          "must be original or forwarded, not \"%s\"".formatted(Snippet.of(text)));
                      yield Optional.empty();
                    }
                  });
    }
  }
}
