package dev.weir.server.limits;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.StoreException;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.json.Json;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.http.problems.QuotaExceeded;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import dev.weir.limits.internal.Definition;
import dev.weir.limits.internal.Definitions;
import dev.weir.limits.internal.Settlements;
import dev.weir.rules.RuleCounters;
import dev.weir.rules.spec.RuleName;
import dev.weir.rules.text.PolicyText;
import dev.weir.rules.text.RateLimitFields;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.refusals.LimitProblems;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.Put;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Manages token buckets by resource: define and remove them, read their state, acquire tokens. */
@Controller("/api/v1/buckets")
@RequiresRole(RequiresRole.Role.CLIENT)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class BucketEndpoints {
  private static final String POLICY = RuleName.RESERVED_PREFIX + "bucket";

  private final DefinedResources<TokenBucket> buckets;
  private final Limiter limiter;
  private final LimitMetrics metrics;
  private final Settlements settlements;

  BucketEndpoints(
      Definitions<TokenBucket> buckets,
      Limiter limiter,
      LimitMetrics metrics,
      Settlements settlements) {
    this.buckets = new DefinedResources<>(buckets);
    this.limiter = limiter;
    this.metrics = metrics;
    this.settlements = settlements;
  }

  @Put(ResourceId.VARIABLE)
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> define(HttpRequest<?> request, @Body byte[] body) {
    String resource = ResourceId.of(request);
    Fields fields = Fields.of(JsonDocument.read(body, 0, body.length));
    Optional<TokenBucket> bucket = TokenBucketJson.read(fields);
    fields.refuseOthers();
    DefinedResources.throwIfWrong(fields, TokenBucketJson.CAPACITY, "INVALID_CAPACITY");
    DefinedResources.throwIfWrong(fields, TokenBucketJson.REFILL_RATE, "INVALID_REFILL_RATE");
    fields.throwIfWrong();
    boolean isChange = buckets.isDefined(resource);
    return buckets.define(
        resource, bucket.orElseThrow(), defined -> isChange ? settled(defined) : state(defined));
  }

  /** Counts the past by the former rate before it returns the state by the new one. */
  private HttpResponse<byte[]> settled(Definition<TokenBucket> defined) {
    settlements.owe(
        POLICY,
        defined.resource(),
        () -> buckets.findLatest(defined.resource()).map(BucketEndpoints::policy));
    settlements.settleNow();
    return state(defined);
  }

  @Get(ResourceId.VARIABLE)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> look(HttpRequest<?> request) {
    return state(buckets.find(request));
  }

  @Delete(ResourceId.VARIABLE)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> remove(HttpRequest<?> request) {
    return buckets.remove(request, defined -> limiter.forget(policy(defined), defined.resource()));
  }

  @Post(ResourceId.VARIABLE + "/acquire")
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> acquire(HttpRequest<?> request, @Body byte[] body) {
    Definition<TokenBucket> defined = buckets.find(request);
    long tokens = tokens(Fields.of(JsonDocument.read(body, 0, body.length)), defined);
    AcquireResult result = limiter.acquire(request(defined, tokens));
    Decision decision = result.decision();
    metrics.decided(result.mode());
    metrics.buckets().count(RuleCounters.Kind.of(decision, result.isReplayed()));
    if (result.isOutcomeUnknown()) {
      throw LimitProblems.outcomeUnknown(
          Micros.floor(result.retryAfter()),
          "Whether the tokens were taken is unknown; tokens that were taken are refilled in time.");
    }
    if (result.mode() == AcquireResult.Mode.CLOSED) {
      throw closed(defined, Micros.floor(result.retryAfter()));
    }
    MutableHttpResponse<byte[]> response =
        switch (decision) {
          case Decision.Allowed allowed ->
              Responses.json(json -> writeAcquired(json, tokens, allowed, result));
          case Decision.Refused refused ->
              Responses.problem(insufficient(defined, tokens, refused, result));
        };
    RateLimitFields.add(
        response::header,
        new RateLimitFields.PolicyState(
            PolicyText.ofBucket(defined.resource(), defined.limit()),
            defined.resource(),
            decision.remaining(),
            OptionalLong.of(decision.resetMicros()),
            !decision.isAllowed()));
    if (decision instanceof Decision.Refused refused) {
      RateLimitFields.addRetryAfter(response::header, refused.retryAfterMicros());
    }
    return response;
  }

  private static long tokens(Fields fields, Definition<TokenBucket> defined) {
    long capacity = defined.limit().capacity();
    Optional<Long> tokens = fields.required("tokens", fields.whole("tokens", 1, capacity));
    fields.refuseOthers();
    if (fields.isWrong("tokens")) {
      fields.throwIfWrong(
          json -> {
            json.writeStringField("code", "INVALID_TOKEN_COUNT");
            fields.writeNumber(json, "count", "tokens");
            json.writeNumberField("capacity", capacity);
          });
    }
    fields.throwIfWrong();
    return tokens.orElseThrow();
  }

  private static ProblemException closed(Definition<TokenBucket> defined, long retryAfterMicros) {
    Map<String, String> headers = new HashMap<>();
    RateLimitFields.addRetryAfter(headers::put, retryAfterMicros);
    return new ProblemException(
        ResourceId.coded(
            LimitProblems.closed(
                List.of(PolicyText.printable(defined.resource())),
                retryAfterMicros,
                StoreException.Outcome.NONE),
            "STORE_UNAVAILABLE"),
        headers);
  }

  private static Problem insufficient(
      Definition<TokenBucket> defined,
      long tokens,
      Decision.Refused refused,
      AcquireResult result) {
    Problem problem =
        QuotaExceeded.by(
            List.of(PolicyText.printable(defined.resource())),
            "%d tokens were requested and %d are available. Try again in %d s."
                .formatted(
                    tokens,
                    refused.remaining(),
                    RateLimitFields.seconds(refused.retryAfterMicros())));
    return ResourceId.coded(problem, "INSUFFICIENT_TOKENS")
        .with(
            json -> {
              json.writeNumberField("requested", tokens);
              json.writeNumberField("available", refused.remaining());
              Json.writeSeconds(json, "retryAfter", refused.retryAfterMicros());
              json.writeStringField("mode", Fields.lower(result.mode()));
            });
  }

  private static void writeAcquired(
      JsonGenerator json, long tokens, Decision.Allowed allowed, AcquireResult result)
      throws IOException {
    json.writeStartObject();
    json.writeNumberField("acquired", tokens);
    json.writeNumberField("remaining", allowed.remaining());
    Json.writeSeconds(json, "reset", allowed.resetMicros());
    json.writeStringField("mode", Fields.lower(result.mode()));
    json.writeEndObject();
  }

  private HttpResponse<byte[]> state(Definition<TokenBucket> defined) {
    long tokens = limiter.peek(request(defined, 1)).decision().remaining();
    Usage usage = limiter.usage(policy(defined), defined.resource());
    Instant refilled = usage.isNone() ? defined.createdAt() : Micros.instant(usage.atMicros());
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeStringField("resourceId", defined.resource());
          TokenBucketJson.writeCapacity(json, defined.limit());
          json.writeNumberField("currentTokens", tokens);
          TokenBucketJson.writeRefillRate(json, defined.limit());
          json.writeStringField("lastRefillAt", refilled.toString());
          json.writeStringField("createdAt", defined.createdAt().toString());
          json.writeStringField("updatedAt", defined.updatedAt().toString());
          json.writeEndObject();
        });
  }

  private static AcquireRequest request(Definition<TokenBucket> defined, long tokens) {
    return AcquireRequest.of(new LimitRequest(policy(defined), defined.resource(), tokens));
  }

  private static Policy policy(Definition<TokenBucket> defined) {
    return Policy.of(POLICY, defined.limit()).createdAt(defined.createdAt());
  }
}
