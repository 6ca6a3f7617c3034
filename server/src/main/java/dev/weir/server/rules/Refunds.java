package dev.weir.server.rules;

import dev.weir.core.Micros;
import dev.weir.core.limits.Lease;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.engine.limits.LimitNames;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.Refund;
import dev.weir.engine.limits.RequestBinding;
import dev.weir.engine.rules.LimitedRule;
import dev.weir.engine.rules.RuleCheck;
import dev.weir.engine.rules.RuleEvaluator;
import dev.weir.engine.rules.RuleIndex;
import dev.weir.server.http.Fields;
import dev.weir.server.http.Json;
import dev.weir.server.http.LeaseProblems;
import dev.weir.server.http.Responses;
import dev.weir.server.metrics.LimitMetrics;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Gives back what checks were granted, and renews their leases. */
@Singleton
final class Refunds {
  private final RuleIndex rules;
  private final RuleEvaluator evaluator;
  private final LimitStore store;
  private final LeaseStore leases;
  private final LimitMetrics metrics;
  private final CheckSettings settings;

  Refunds(
      RuleIndex rules,
      RuleEvaluator evaluator,
      LimitStore store,
      LeaseStore leases,
      LimitMetrics metrics,
      CheckSettings settings) {
    this.rules = rules;
    this.evaluator = evaluator;
    this.store = store;
    this.leases = leases;
    this.metrics = metrics;
    this.settings = settings;
  }

  /**
   * What is to be given back.
   *
   * @param waited what passed through a queue, and took nothing of its limit
   * @param leaseId of the leases, if there are any
   * @param granted what the caller was told
   */
  private record Request(
      CheckRequest check, Set<RuleCheck> waited, Optional<String> leaseId, AcquireResult granted) {}

  /** Gives back what was granted, and leases. */
  HttpResponse<byte[]> refund(byte[] body) {
    Request request = read(Fields.of(Json.read(body, 0, body.length)));
    Optional<AcquireRequest> demand = demand(request);
    // First, for another request's id gives nothing back.
    if (demand.isPresent() && store.refund(demand.get(), request.granted()) == Refund.REUSED) {
      throw CheckJson.reused(request.check());
    }
    for (RuleCheck asked : request.check().asked()) {
      if (CheckRequest.isLease(asked)) {
        LeaseProblems.requireReleased(
            leases.release(
                RuleEvaluator.resourceOfLeases(asked.rule(), asked.key()),
                request.leaseId().orElseThrow()));
      }
    }
    return HttpResponse.noContent();
  }

  private Request read(Fields fields) {
    boolean hasId = fields.text("requestId").isPresent();
    Set<RuleCheck> waited = new HashSet<>();
    CheckRequest check =
        CheckRequest.readAsked(
            fields,
            rules,
            false,
            (item, asked) -> {
              Optional<Boolean> queued = item.flag("queued");
              // An id knows whether it waited. Without one, only the caller does.
              if (!hasId && hasQueue(asked)) {
                item.required("queued", queued);
              }
              if (queued.orElse(false)) {
                waited.add(asked);
              }
            });
    Optional<String> leaseId = leaseId(fields);
    Optional<Instant> decidedAt = fields.time("decidedAt");
    if (!hasId && !check.isOnlyLeases()) {
      fields.required("decidedAt", decidedAt);
    }
    if (check.hasLeases()) {
      fields.required("leaseId", leaseId);
    }
    AcquireResult.Mode mode =
        fields.choice("mode", AcquireResult.Mode.values()).orElse(AcquireResult.Mode.STORE);
    fields.refuseOthers();
    fields.throwIfWrong();
    // Without a time and with an id, the store knows when it was.
    AcquireResult granted = new AcquireResult(List.of(), decidedAt.orElse(Instant.EPOCH), mode);
    return new Request(check, waited, leaseId, granted);
  }

  private static Optional<String> leaseId(Fields fields) {
    Optional<String> leaseId = fields.text("leaseId");
    leaseId.flatMap(LimitNames::problem).ifPresent(problem -> fields.wrong("leaseId", problem));
    return leaseId;
  }

  private static boolean hasQueue(RuleCheck asked) {
    return asked.rule().means() instanceof LimitedRule.Counted counted
        && counted.queue().isPresent();
  }

  /** With an id, the demand as it was asked; without, what was taken. */
  private Optional<AcquireRequest> demand(Request request) {
    CheckRequest check = request.check();
    RequestBinding binding =
        new RuleEvaluator.Repeat(check.requestId(), settings.requestTtl()).binding(check.asked());
    List<LimitRequest> asks = new ArrayList<>(check.asked().size());
    for (RuleCheck asked : check.asked()) {
      boolean isAsked =
          binding.isPresent() ? !asked.rule().isShadow() : !request.waited().contains(asked);
      if (asked.rule().isActive() && isAsked) {
        CheckRequest.ask(asked).ifPresent(asks::add);
      }
    }
    return asks.isEmpty() && !binding.isPresent()
        ? Optional.empty()
        : Optional.of(new AcquireRequest(asks, Map.of(), binding));
  }

  /** Renews the leases of a check, by the rules that gave them. */
  HttpResponse<byte[]> renew(byte[] body) {
    Fields fields = Fields.of(Json.read(body, 0, body.length));
    CheckRequest check =
        CheckRequest.readAsked(
            fields,
            rules,
            false,
            (item, asked) -> {
              if (!CheckRequest.isLease(asked)) {
                item.wrong("rule", "must be a rule of concurrency");
              }
            });
    if (!check.requestId().isEmpty()) {
      fields.wrong("requestId", "must be left out; a lease is renewed by its leaseId");
    }
    Optional<String> leaseId = fields.required("leaseId", leaseId(fields));
    fields.refuseOthers();
    fields.throwIfWrong();
    Optional<Lease> first = Optional.empty();
    for (RuleCheck asked : check.asked()) {
      LeaseDecision decision = evaluator.renew(asked, leaseId.orElseThrow()).orElseThrow();
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
