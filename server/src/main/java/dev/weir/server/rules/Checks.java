package dev.weir.server.rules;

import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.Verdict;
import dev.weir.server.metrics.Latencies;
import dev.weir.server.metrics.LimitMetrics;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks rules by name. */
@Singleton
final class Checks {
  private static final Logger log = LoggerFactory.getLogger(Checks.class);

  private final RuleIndex rules;
  private final RuleEvaluator evaluator;
  private final CheckSettings settings;
  private final DelayedResponses waits;
  private final Latencies times;

  Checks(
      RuleIndex rules,
      RuleEvaluator evaluator,
      CheckSettings settings,
      DelayedResponses waits,
      LimitMetrics metrics) {
    this.rules = rules;
    this.evaluator = evaluator;
    this.settings = settings;
    this.waits = waits;
    this.times = metrics.checkTimes();
  }

  /** Returns the response, which is delayed only if the request waits in a queue. */
  CompletionStage<HttpResponse<byte[]>> check(HttpRequest<?> http, byte[] body) {
    CheckRequest plain = PlainCheck.read(body, rules);
    CheckRequest request =
        plain != null
            ? plain
            : CheckRequest.read(Fields.of(JsonDocument.read(body, 0, body.length)), rules);
    if (request.isPeek()) {
      return CompletableFuture.completedFuture(
          CheckJson.answer(request, evaluator.preview(request.checks())));
    }
    long begin = System.nanoTime();
    Verdict verdict = decide(request);
    times.record(System.nanoTime() - begin);
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
   * Returns the verdict on a plain check that needs only counting; null for any other check, which
   * has no effect.
   */
  @Nullable Quick quick(byte[] body) {
    CheckRequest plain = PlainCheck.read(body, rules);
    if (plain == null || !RuleEvaluator.isOneStep(plain.checks())) {
      return null;
    }
    Verdict verdict = decide(plain);
    return verdict instanceof Verdict.Decided decided ? new Quick(plain, decided) : null;
  }

  /** A check and its verdict. */
  record Quick(CheckRequest request, Verdict.Decided verdict) {}

  /** Returns how long checks take. */
  Latencies times() {
    return times;
  }

  private Verdict decide(CheckRequest request) {
    return evaluator.decide(
        request.checks(), new RuleEvaluator.Repeat(request.requestId(), settings.requestTtl()));
  }
}
