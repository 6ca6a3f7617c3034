package dev.weir.server.rules;

import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.rules.RuleCheck;
import dev.weir.engine.rules.RuleCounters;
import dev.weir.engine.rules.RuleEvaluator;
import dev.weir.engine.rules.RuleResult;
import dev.weir.engine.rules.Ticket;
import dev.weir.engine.rules.Verdict;
import dev.weir.server.http.DelayedResponses;
import dev.weir.server.http.Fields;
import dev.weir.server.http.Json;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks rules by name whether something may pass. */
@Singleton
final class Checks {
  private static final Logger log = LoggerFactory.getLogger(Checks.class);

  private final Limits limits;
  private final DelayedResponses waits;

  Checks(Limits limits, DelayedResponses waits) {
    this.limits = limits;
    this.waits = waits;
  }

  /** The answer; it comes later only if there is a queue to wait in. */
  CompletionStage<HttpResponse<byte[]>> check(HttpRequest<?> http, byte[] body) {
    CheckRequest plain = PlainCheck.read(body, limits.book());
    CheckRequest request =
        plain != null
            ? plain
            : CheckRequest.read(Fields.of(Json.read(body, 0, body.length)), limits.book());
    if (request.isPeek()) {
      return CompletableFuture.completedFuture(CheckJson.answer(request, peek(request)));
    }
    Verdict verdict = request.isCounted() ? counted(request) : ruled(request);
    if (log.isDebugEnabled() && verdict instanceof Verdict.Refused refused) {
      log.atDebug()
          .addKeyValue("rules", refused.violated())
          .addKeyValue("requestId", request.requestId())
          .log("Refused");
    }
    HttpResponse<byte[]> answer = CheckJson.answer(request, verdict);
    return verdict instanceof Verdict.Queued queued
        ? waits.after(http, queued, answer)
        : CompletableFuture.completedFuture(answer);
  }

  /**
   * The verdict on a plain check that needs nothing but counting; null if it is anything else, and
   * then nothing was done.
   */
  @Nullable Quick quick(byte[] body) {
    CheckRequest plain = PlainCheck.read(body, limits.book());
    if (plain == null || !plain.isCounted()) {
      return null;
    }
    Verdict verdict = counted(plain);
    return verdict instanceof Verdict.Reused ? null : new Quick(plain, verdict);
  }

  /** A check and what was said to it. */
  record Quick(CheckRequest request, Verdict verdict) {}

  /** The short way for what is one step of a store. */
  private Verdict counted(CheckRequest request) {
    Optional<AcquireRequest> demand = request.demand(limits.requestTtl());
    if (demand.isEmpty()) {
      return new Verdict.Passed(
          List.of(), AcquireResult.Mode.STORE, Optional.empty(), Ticket.NONE, false);
    }
    AcquireResult answer = limits.store().decide(demand.get());
    if (answer.isReused()) {
      return new Verdict.Reused(answer.decidedAt());
    }
    limits.metrics().decided(answer.mode());
    List<RuleResult> said = said(request, answer);
    for (RuleResult each : said) {
      each.rule().tally().count(RuleCounters.Kind.of(each.outcome(), answer.isReplayed()));
    }
    Optional<Instant> decidedAt = Optional.of(answer.decidedAt());
    return answer.isAllowed()
        ? new Verdict.Passed(said, answer.mode(), decidedAt, Ticket.NONE, answer.isReplayed())
        : new Verdict.Refused(said, answer.mode(), decidedAt);
  }

  private static List<RuleResult> said(CheckRequest request, AcquireResult answer) {
    List<RuleResult> said = new ArrayList<>(answer.outcomes().size());
    for (RuleCheck asked : request.asked()) {
      // None are said if the request is repeated after its rules have changed.
      if (asked.rule().isActive() && !answer.outcomes().isEmpty()) {
        said.add(new RuleResult(asked, answer.outcomes().get(said.size())));
      }
    }
    return said;
  }

  private Verdict ruled(CheckRequest request) {
    return limits
        .desk()
        .decide(
            request.asked(), new RuleEvaluator.Repeat(request.requestId(), limits.requestTtl()));
  }

  private Verdict peek(CheckRequest request) {
    if (request.isCounted()) {
      return request
          .demand(limits.requestTtl())
          .map(
              demand -> {
                AcquireResult answer = limits.store().peek(demand);
                return verdict(
                    said(request, answer), answer.mode(), Optional.of(answer.decidedAt()));
              })
          .orElseGet(() -> verdict(List.of(), AcquireResult.Mode.STORE, Optional.empty()));
    }
    List<RuleCheck> inForce =
        request.asked().stream()
            .filter(asked -> asked.rule().isActive() && !asked.rule().isShadow())
            .toList();
    return verdict(limits.desk().peek(inForce), AcquireResult.Mode.STORE, Optional.empty());
  }

  private static Verdict verdict(
      List<RuleResult> said, AcquireResult.Mode mode, Optional<Instant> decidedAt) {
    Verdict.Refused refused = new Verdict.Refused(said, mode, decidedAt);
    return refused.violated().isEmpty()
        ? new Verdict.Passed(said, mode, decidedAt, Ticket.NONE, false)
        : refused;
  }
}
