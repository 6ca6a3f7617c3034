package dev.weir.server.rest;

import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Demand;
import dev.weir.engine.rules.Asked;
import dev.weir.engine.rules.RuleDesk;
import dev.weir.engine.rules.Said;
import dev.weir.engine.rules.Tally;
import dev.weir.engine.rules.Ticket;
import dev.weir.engine.rules.Verdict;
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
  private final Waits waits;

  Checks(Limits limits, Waits waits) {
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
    return verdict instanceof Verdict.Queued queued
        ? waits.after(http, queued, settled -> CheckJson.answer(request, settled))
        : CompletableFuture.completedFuture(CheckJson.answer(request, verdict));
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
    Optional<Demand<Limit>> demand = request.demand(limits.requestTtl());
    if (demand.isEmpty()) {
      return new Verdict.Passed(List.of(), Answer.Mode.STORE, Optional.empty(), Ticket.NONE, false);
    }
    Answer answer = limits.store().decide(demand.get());
    if (answer.isReused()) {
      return new Verdict.Reused(answer.decidedAt());
    }
    limits.metrics().decided(answer.mode());
    List<Said> said = said(request, answer);
    for (Said each : said) {
      each.rule().tally().count(Tally.Outcome.of(each.decision(), answer.isReplayed()));
    }
    Optional<Instant> decidedAt = Optional.of(answer.decidedAt());
    return answer.isAllowed()
        ? new Verdict.Passed(said, answer.mode(), decidedAt, Ticket.NONE, answer.isReplayed())
        : new Verdict.Refused(said, answer.mode(), decidedAt);
  }

  private static List<Said> said(CheckRequest request, Answer answer) {
    List<Said> said = new ArrayList<>(answer.decisions().size());
    for (Asked asked : request.asked()) {
      // None are said if the request is repeated after its rules have changed.
      if (asked.rule().isActive() && !answer.decisions().isEmpty()) {
        said.add(new Said(asked, answer.decisions().get(said.size())));
      }
    }
    return said;
  }

  private Verdict ruled(CheckRequest request) {
    return limits
        .desk()
        .decide(request.asked(), new RuleDesk.Repeat(request.requestId(), limits.requestTtl()));
  }

  private Verdict peek(CheckRequest request) {
    if (request.isCounted()) {
      return request
          .demand(limits.requestTtl())
          .map(
              demand -> {
                Answer answer = limits.store().peek(demand);
                return verdict(
                    said(request, answer), answer.mode(), Optional.of(answer.decidedAt()));
              })
          .orElseGet(() -> verdict(List.of(), Answer.Mode.STORE, Optional.empty()));
    }
    List<Asked> inForce =
        request.asked().stream()
            .filter(asked -> asked.rule().isActive() && !asked.rule().isShadow())
            .toList();
    return verdict(limits.desk().peek(inForce), Answer.Mode.STORE, Optional.empty());
  }

  private static Verdict verdict(List<Said> said, Answer.Mode mode, Optional<Instant> decidedAt) {
    Verdict.Refused refused = new Verdict.Refused(said, mode, decidedAt);
    return refused.violated().isEmpty()
        ? new Verdict.Passed(said, mode, decidedAt, Ticket.NONE, false)
        : refused;
  }
}
