package dev.weir.server.limits;

import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.fields.PathSegment;
import dev.weir.http.json.Json;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.QuotaExceeded;
import dev.weir.internal.LimitNames;
import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.Leases;
import dev.weir.limits.Limit;
import dev.weir.limits.internal.Definition;
import dev.weir.limits.internal.Definitions;
import dev.weir.rules.spec.FieldType;
import dev.weir.rules.text.PolicyText;
import dev.weir.rules.text.RateLimitFields;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.refusals.LeaseProblems;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** Manages concurrency limits by resource: define them, and acquire, renew and release leases. */
@Controller("/api/v1/concurrency")
@RequiresRole(RequiresRole.Role.CLIENT)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class ConcurrencyEndpoints {
  /** Separates these leases from those that belong to no resource. */
  private static final String PREFIX = "concurrency/";

  private static final String LEASE = ResourceId.VARIABLE + "/leases/{leaseId:[^/]+}";
  private static final int LEASE_SEGMENT = 6;
  private static final byte[] NO_BODY = {};
  private static final Duration DEFAULT_TTL = Duration.ofSeconds(30);
  private static final FieldType TTL =
      new FieldType.Period(
          Micros.duration(Limit.MIN_DURATION_MICROS), Micros.duration(Limit.MAX_DURATION_MICROS));

  private final DefinedResources<Concurrency> resources;
  private final Leases leases;
  private final LimitMetrics metrics;

  ConcurrencyEndpoints(Definitions<Concurrency> concurrency, Leases leases, LimitMetrics metrics) {
    this.resources = new DefinedResources<>(concurrency);
    this.leases = leases;
    this.metrics = metrics;
  }

  @Put(ResourceId.VARIABLE)
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> define(HttpRequest<?> request, @Body byte[] body) {
    String resource = ResourceId.of(request);
    Fields fields = Fields.of(JsonDocument.read(body, 0, body.length));
    Optional<Long> max =
        fields.required("maxConcurrent", fields.whole("maxConcurrent", 1, Concurrency.MAX_PLACES));
    Duration ttl = ttl(fields);
    fields.refuseOthers();
    DefinedResources.throwIfWrong(fields, "maxConcurrent", "INVALID_MAX_CONCURRENT");
    fields.throwIfWrong();
    Concurrency limit = Concurrency.of(Math.toIntExact(max.orElseThrow()), ttl);
    return resources.define(resource, limit, this::state);
  }

  private static Duration ttl(Fields fields) {
    Duration ttl = fields.duration("leaseTtl").orElse(DEFAULT_TTL);
    TTL.problem(ttl).ifPresent(problem -> fields.wrong("leaseTtl", problem.message(Snippet::of)));
    return ttl;
  }

  @Get(ResourceId.VARIABLE)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> look(HttpRequest<?> request) {
    return state(resources.find(request));
  }

  @Delete(ResourceId.VARIABLE)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> remove(HttpRequest<?> request) {
    return resources.remove(request, defined -> leases.forget(key(defined)));
  }

  @Post(ResourceId.VARIABLE + "/leases")
  @Consumes(MediaType.ALL)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> acquire(HttpRequest<byte[]> request) {
    Definition<Concurrency> defined = resources.find(request);
    int places = places(request.getBody().orElse(NO_BODY), defined);
    LeaseDecision.Acquisition decision =
        leases.acquire(
            key(defined),
            defined.limit(),
            UUID.randomUUID().toString(),
            places,
            defined.leaseHistory());
    metrics.decided(decision);
    return switch (decision) {
      case LeaseDecision.Held held ->
          withFields(defined, held, OptionalLong.empty(), lease(HttpStatus.CREATED, held.lease()));
      case LeaseDecision.Full full -> {
        MutableHttpResponse<byte[]> response =
            withFields(
                defined,
                full,
                OptionalLong.of(full.retryAfterMicros()),
                Responses.problem(reached(defined, full)));
        RateLimitFields.addRetryAfter(response::header, full.retryAfterMicros());
        yield response;
      }
      case LeaseDecision.Unavailable gone ->
          throw LeaseProblems.unavailable(
              gone,
              "You hold no lease.",
              "You hold no lease; one may be counted until its leaseTtl has passed.");
      case LeaseDecision.Unchecked unchecked -> lease(HttpStatus.CREATED, unchecked.lease());
    };
  }

  /** Returns the number of places. Without a body, it is one. */
  private static int places(byte[] body, Definition<Concurrency> defined) {
    int max = defined.limit().max();
    if (body.length == 0) {
      return 1;
    }
    Fields fields = Fields.of(JsonDocument.read(body, 0, body.length));
    long count = fields.whole("count", 1, max).orElse(1L);
    fields.refuseOthers();
    if (fields.isWrong("count")) {
      fields.throwIfWrong(
          json -> {
            json.writeStringField("code", "INVALID_CONCURRENT_COUNT");
            fields.writeNumber(json, "count", "count");
            json.writeNumberField("max", max);
          });
    }
    fields.throwIfWrong();
    return Math.toIntExact(count);
  }

  @Put(LEASE)
  @Consumes(MediaType.ALL)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> renew(HttpRequest<?> request) {
    Definition<Concurrency> defined = resources.find(request);
    String leaseId = leaseId(request);
    LeaseDecision.Renewal decision = leases.renew(key(defined), defined.limit(), leaseId);
    metrics.decided(decision);
    return lease(HttpStatus.OK, LeaseProblems.requireRenewed(decision, leaseId));
  }

  @Delete(LEASE)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> release(HttpRequest<?> request) {
    Definition<Concurrency> defined = resources.find(request);
    LeaseProblems.requireReleased(leases.release(key(defined), leaseId(request)));
    return HttpResponse.noContent();
  }

  private static Problem reached(Definition<Concurrency> defined, LeaseDecision.Full full) {
    Problem problem =
        QuotaExceeded.by(
            List.of(PolicyText.printable(defined.resource())),
            "%d of %d places are taken.".formatted(full.current(), defined.limit().max()));
    return ResourceId.coded(problem, "CONCURRENCY_LIMIT_REACHED")
        .with(
            json -> {
              json.writeNumberField("current", full.current());
              json.writeNumberField("max", defined.limit().max());
              Json.writeSeconds(json, "retryAfter", full.retryAfterMicros());
            });
  }

  /**
   * Adds the rate limit fields. The remaining count is negative if the limit was lowered; it is
   * reported as 0 then.
   */
  private static MutableHttpResponse<byte[]> withFields(
      Definition<Concurrency> defined,
      LeaseDecision decision,
      OptionalLong resetMicros,
      MutableHttpResponse<byte[]> response) {
    RateLimitFields.add(
        response::header,
        new RateLimitFields.PolicyState(
            PolicyText.ofConcurrency(defined.resource(), defined.limit()),
            defined.resource(),
            Math.max(0, defined.limit().max() - decision.current()),
            resetMicros,
            decision instanceof LeaseDecision.Full));
    return response;
  }

  private static MutableHttpResponse<byte[]> lease(HttpStatus status, Lease lease) {
    return Responses.json(
        status,
        json -> {
          json.writeStartObject();
          json.writeStringField("leaseId", lease.id());
          json.writeNumberField("count", lease.places());
          json.writeStringField("expiresAt", Micros.instant(lease.expiresAtMicros()).toString());
          json.writeEndObject();
        });
  }

  private HttpResponse<byte[]> state(Definition<Concurrency> defined) {
    int current = leases.current(key(defined), defined.limit(), defined.leaseHistory());
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeStringField("resourceId", defined.resource());
          json.writeNumberField("maxConcurrent", defined.limit().max());
          json.writeNumberField("currentCount", current);
          json.writeStringField(
              "leaseTtl", Micros.duration(defined.limit().ttlMicros()).toString());
          json.writeStringField("createdAt", defined.createdAt().toString());
          json.writeStringField("updatedAt", defined.updatedAt().toString());
          json.writeEndObject();
        });
  }

  private static String key(Definition<Concurrency> defined) {
    return PREFIX + defined.resource();
  }

  private static String leaseId(HttpRequest<?> request) {
    String id = PathSegment.of(request, LEASE_SEGMENT);
    Fields fields = Fields.of(Map.of());
    LimitNames.problem(id).ifPresent(problem -> fields.wrong("leaseId", problem));
    fields.throwIfWrong();
    return id;
  }
}
