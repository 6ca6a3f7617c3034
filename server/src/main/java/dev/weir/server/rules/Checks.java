package dev.weir.server.rules;

import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.rules.RuleCheck;
import dev.weir.engine.rules.RuleCounters;
import dev.weir.engine.rules.RuleEvaluator;
import dev.weir.engine.rules.RuleIndex;
import dev.weir.engine.rules.RuleResult;
import dev.weir.engine.rules.Ticket;
import dev.weir.engine.rules.Verdict;
import dev.weir.server.http.Fields;
import dev.weir.server.http.Json;
import dev.weir.server.metrics.LimitMetrics;
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

  private final RuleIndex rules;
  private final RuleEvaluator evaluator;
  private final LimitStore store;
  private final LimitMetrics metrics;
  private final CheckSettings settings;
  private final DelayedResponses waits;

  Checks(
      RuleIndex rules,
      RuleEvaluator evaluator,
      LimitStore store,
      LimitMetrics metrics,
      CheckSettings settings,
      DelayedResponses waits) {
    this.rules = rules;
    this.evaluator = evaluator;
    this.store = store;
    this.metrics = metrics;
    this.settings = settings;
    this.waits = waits;
  }

  /** The answer; it comes later only if there is a queue to wait in. */
  CompletionStage<HttpResponse<byte[]>> check(HttpRequest<?> http, byte[] body) {
    CheckRequest plain = PlainCheck.read(body, rules);
    CheckRequest request =
        plain != null
            ? plain
            : CheckRequest.read(Fields.of(Json.read(body, 0, body.length)), rules);
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
    return verdict instanceof Verdict.Queued queued
        ? waits.after(http, queued, settled -> CheckJson.answer(request, settled))
        : CompletableFuture.completedFuture(CheckJson.answer(request, verdict));
  }

  /**
   * The verdict on a plain check that needs nothing but counting; null if it is anything else, and
   * then nothing was done.
   */
  @Nullable Quick quick(byte[] body) {
    CheckRequest plain = PlainCheck.read(body, rules);
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
    Optional<AcquireRequest> demand = request.demand(settings.requestTtl());
    if (demand.isEmpty()) {
      return new Verdict.Passed(
          List.of(), AcquireResult.Mode.STORE, Optional.empty(), Ticket.NONE, false);
    }
    AcquireResult answer = store.decide(demand.get());
    if (answer.isReused()) {
      return new Verdict.Reused(answer.decidedAt());
    }
    metrics.decided(answer.mode());
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
    return evaluator.decide(
        request.asked(), new RuleEvaluator.Repeat(request.requestId(), settings.requestTtl()));
  }

  private Verdict peek(CheckRequest request) {
    if (request.isCounted()) {
      return request
          .demand(settings.requestTtl())
          .map(
              demand -> {
                AcquireResult answer = store.peek(demand);
                return verdict(
                    said(request, answer), answer.mode(), Optional.of(answer.decidedAt()));
              })
          .orElseGet(() -> verdict(List.of(), AcquireResult.Mode.STORE, Optional.empty()));
    }
    List<RuleCheck> inForce =
        request.asked().stream()
            .filter(asked -> asked.rule().isActive() && !asked.rule().isShadow())
            .toList();
    return verdict(evaluator.peek(inForce), AcquireResult.Mode.STORE, Optional.empty());
  }

  private static Verdict verdict(
      List<RuleResult> said, AcquireResult.Mode mode, Optional<Instant> decidedAt) {
    Verdict.Refused refused = new Verdict.Refused(said, mode, decidedAt);
    return refused.violated().isEmpty()
        ? new Verdict.Passed(said, mode, decidedAt, Ticket.NONE, false)
        : refused;
  }
}
