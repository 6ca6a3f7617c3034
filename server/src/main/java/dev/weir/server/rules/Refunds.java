package dev.weir.server.rules;

import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.internal.LimitNames;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.Refund;
import dev.weir.rules.GrantedChecks;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.refusals.LeaseProblems;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Refunds what checks were granted, and renews their leases. */
@Singleton
final class Refunds {
  private final RuleIndex rules;
  private final RuleEvaluator evaluator;
  private final LimitMetrics metrics;
  private final CheckSettings settings;

  Refunds(RuleIndex rules, RuleEvaluator evaluator, LimitMetrics metrics, CheckSettings settings) {
    this.rules = rules;
    this.evaluator = evaluator;
    this.metrics = metrics;
    this.settings = settings;
  }

  /**
   * A request for a refund.
   *
   * @param original the checks that were granted
   * @param leaseId the id of the leases; empty if there are none
   */
  private record Request(CheckRequest original, GrantedChecks granted, Optional<String> leaseId) {
    /** Returns a request to refund what no rule was asked for. */
    static Request ofNothing(CheckRequest original) {
      return new Request(
          original,
          new GrantedChecks(
              List.of(),
              Set.of(),
              RuleEvaluator.Repeat.NONE,
              Optional.empty(),
              AcquireResult.Mode.STORE),
          Optional.empty());
    }
  }

  /** Refunds what was granted, and releases leases. */
  HttpResponse<byte[]> refund(byte[] body) {
    Request request = read(Fields.of(JsonDocument.read(body, 0, body.length)));
    // Comes first: the id of another request refunds nothing.
    Refund refund = evaluator.refund(request.granted());
    if (refund == Refund.REUSED) {
      throw CheckJson.reused(request.original());
    }
    boolean isBegun = refund == Refund.GIVEN_BACK;
    for (RuleCheck check : request.original().checks()) {
      Optional<LeaseDecision.Release> released =
          request.leaseId().flatMap(leaseId -> evaluator.release(check, leaseId));
      if (released.isPresent()) {
        LeaseProblems.requireReleased(released.get(), isBegun);
        isBegun = true;
      }
    }
    return HttpResponse.noContent();
  }

  private Request read(Fields fields) {
    boolean hasId = fields.text("requestId").isPresent();
    boolean isInactive = fields.text("mode").equals(Optional.of(CheckJson.INACTIVE));
    Set<RuleCheck> waited = new HashSet<>();
    CheckRequest original =
        CheckRequest.readGranted(
            fields,
            rules,
            (item, check) -> {
              Optional<Boolean> queued = item.flag("queued");
              // The store records for each id whether it waited. Without an id, only the caller can
              // say.
              if (!hasId && !isInactive && isEnforced(check) && hasQueue(check)) {
                item.required("queued", queued);
              }
              if (queued.orElse(false)) {
                waited.add(check);
              }
            });
    Optional<String> leaseId = leaseId(fields);
    Optional<Instant> decidedAt = fields.time("decidedAt");
    AcquireResult.Mode mode =
        isInactive || fields.isWrong("mode")
            ? AcquireResult.Mode.STORE
            : fields.choice("mode", AcquireResult.Mode.values()).orElse(AcquireResult.Mode.STORE);
    // What the answer to the check does not say of rules that it did not ask is not required.
    List<RuleCheck> enforced =
        original.checks().stream().filter(check -> !isInactive && isEnforced(check)).toList();
    // Without a check that could be read, it is told of as well.
    boolean isCounted =
        (original.checks().isEmpty() && !isInactive)
            || !enforced.stream().allMatch(CheckRequest::isLease);
    if (!hasId && isCounted) {
      fields.required("decidedAt", decidedAt);
    }
    if (enforced.stream().anyMatch(CheckRequest::isLease)) {
      fields.required("leaseId", leaseId);
    }
    fields.refuseOthers();
    fields.throwIfWrong();
    if (isInactive) {
      return Request.ofNothing(original);
    }
    RuleEvaluator.Repeat repeat =
        new RuleEvaluator.Repeat(original.requestId(), settings.requestTtl());
    return new Request(
        original, new GrantedChecks(original.checks(), waited, repeat, decidedAt, mode), leaseId);
  }

  private static Optional<String> leaseId(Fields fields) {
    Optional<String> leaseId = fields.text("leaseId");
    leaseId.flatMap(LimitNames::problem).ifPresent(problem -> fields.wrong("leaseId", problem));
    return leaseId;
  }

  private static boolean isEnforced(RuleCheck check) {
    return check.rule().isActive() && !check.rule().isShadow();
  }

  private static boolean hasQueue(RuleCheck check) {
    return check.rule().kind() instanceof LimitedRule.Counted counted
        && counted.queue().isPresent();
  }

  /** Renews the leases of a check, by the rules that granted them. */
  HttpResponse<byte[]> renew(byte[] body) {
    Fields fields = Fields.of(JsonDocument.read(body, 0, body.length));
    CheckRequest request =
        CheckRequest.readGranted(
            fields,
            rules,
            (item, check) -> {
              if (!CheckRequest.isLease(check)) {
                item.wrong("rule", "must be a rule of concurrency");
              }
            });
    if (!request.requestId().isEmpty()) {
      fields.wrong("requestId", "must be left out; a lease is renewed by its leaseId");
    }
    Optional<String> leaseId = fields.required("leaseId", leaseId(fields));
    fields.refuseOthers();
    fields.throwIfWrong();
    Optional<Lease> first = Optional.empty();
    for (RuleCheck check : request.checks()) {
      LeaseDecision.Renewal decision = evaluator.renew(check, leaseId.orElseThrow()).orElseThrow();
      metrics.decided(decision);
      Lease renewed = LeaseProblems.requireRenewed(decision, leaseId.orElseThrow());
      if (first.isEmpty() || renewed.expiresAtMicros() < first.get().expiresAtMicros()) {
        first = Optional.of(renewed);
      }
    }
    Lease lease = first.orElseThrow();
    return Responses.json(
        HttpStatus.OK,
        json -> {
          json.writeStartObject();
          json.writeStringField("leaseId", lease.id());
          json.writeStringField("expiresAt", Micros.instant(lease.expiresAtMicros()).toString());
          json.writeEndObject();
        });
  }
}
