package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.problems.ProblemException;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.RuleObserver;
import dev.weir.rules.Verdict;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.server.metrics.LimitMetrics;
import io.micronaut.http.HttpStatus;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What refunds have to say, and what they are answered if a lease cannot be ended. */
final class RefundsTest {
  private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-06-01T12:00:00Z"));
  private final MemoryRules rules = new MemoryRules(clock);
  private final CheckSettings settings = new CheckSettings(Duration.ofMinutes(10), false);

  @Test
  void refundThatCannotEndItsLeaseIsNotCalledUndone() {
    rules.create(
        RuleSpec.of("count", Quota.Rate.of(FixedWindow.of(5, Duration.ofDays(1)))), "test");
    rules.create(
        RuleSpec.of("place", new Quota.Concurrent(Concurrency.of(5, Duration.ofMinutes(1)))),
        "test");
    RuleIndex index = new RuleIndex(rules, RuleObserver.NONE);
    LeaseStore leases = withoutRelease(new MemoryLeaseStore(clock));
    RuleEvaluator evaluator =
        new RuleEvaluator(
            index,
            new RuleEvaluator.Stores(new MemoryLimitStore(clock), leases, leases),
            RuleObserver.NONE,
            clock);
    Refunds refunds =
        new Refunds(index, evaluator, new LimitMetrics(new PrometheusRegistry()), settings);
    RuleCheck count = new RuleCheck(Objects.requireNonNull(index.find("count")), "k", 1);
    RuleCheck place = new RuleCheck(Objects.requireNonNull(index.find("place")), "k", 1);
    Verdict granted = evaluator.decide(List.of(count, place), RuleEvaluator.Repeat.NONE);
    String at = granted.decidedAt().orElseThrow().toString();

    String both =
        """
        {"all": [{"rule": "count", "key": "k"}, {"rule": "place", "key": "k"}],
         "decidedAt": "%s", "leaseId": "a"}"""
            .formatted(at);
    assertThat(problemOf(refunds, both)).contains("\"outcome\":\"unknown\"");
    assertThat(evaluator.peek(List.of(count)).getFirst().outcome().remaining()).isEqualTo(5);

    String lease = "{\"rule\": \"place\", \"key\": \"k\", \"leaseId\": \"a\"}";
    assertThat(problemOf(refunds, lease)).contains("\"outcome\":\"none\"");
  }

  /** Their answers have neither a time nor leases, and do not say whether the request waited. */
  @Test
  void checkOfRulesThatAreNotEnforcedIsRefundedWithWhatItsAnswerSays() {
    RuleSpec queued =
        RuleSpec.of(
            "queued",
            new Quota.Rate(
                FixedWindow.of(5, Duration.ofDays(1)), new Quota.QueueSettings(true, 1, 50)));
    RuleSpec place =
        RuleSpec.of("place", new Quota.Concurrent(Concurrency.of(5, Duration.ofMinutes(1))));
    rules.create(queued.mode(RuleSpec.Mode.SHADOW), "test");
    rules.create(place.active(false), "test");
    rules.create(
        RuleSpec.of("count", Quota.Rate.of(FixedWindow.of(5, Duration.ofDays(1)))), "test");
    RuleIndex index = new RuleIndex(rules, RuleObserver.NONE);
    LeaseStore leases = new MemoryLeaseStore(clock);
    RuleEvaluator evaluator =
        new RuleEvaluator(
            index,
            new RuleEvaluator.Stores(new MemoryLimitStore(clock), leases, leases),
            RuleObserver.NONE,
            clock);
    Refunds refunds =
        new Refunds(index, evaluator, new LimitMetrics(new PrometheusRegistry()), settings);
    String all =
        """
        {"all": [{"rule": "queued", "key": "k"}, {"rule": "place", "key": "k"}%s]%s}""";
    for (boolean isCounted : List.of(false, true)) {
      String count = isCounted ? ", {\"rule\": \"count\", \"key\": \"k\"}" : "";
      CheckRequest request = CheckRequest.read(fields(bytes(all.formatted(count, ""))), index);
      Verdict verdict = evaluator.decide(request.checks(), RuleEvaluator.Repeat.NONE);
      Fields answer = fields(CheckJson.answer(request, verdict).body());
      String said =
          ", \"mode\": \"%s\"".formatted(answer.text("mode").orElseThrow())
              + answer.text("decidedAt").map(", \"decidedAt\": \"%s\""::formatted).orElse("");
      assertThat((Object) refunds.refund(bytes(all.formatted(count, said))).getStatus())
          .isEqualTo(HttpStatus.NO_CONTENT);
    }
    RuleCheck count = new RuleCheck(Objects.requireNonNull(index.find("count")), "k", 1);
    assertThat(evaluator.peek(List.of(count)).getFirst().outcome().remaining()).isEqualTo(5);
  }

  private static byte[] bytes(String json) {
    return json.getBytes(StandardCharsets.UTF_8);
  }

  private static Fields fields(byte[] json) {
    return Fields.of(JsonDocument.read(json, 0, json.length));
  }

  private static String problemOf(Refunds refunds, String body) {
    ProblemException problem =
        catchThrowableOfType(
            ProblemException.class, () -> refunds.refund(body.getBytes(StandardCharsets.UTF_8)));
    return new String(problem.problem().toJson(), StandardCharsets.UTF_8);
  }

  /** Returns a store that is not asked to release anything, because it did not answer before. */
  private static LeaseStore withoutRelease(LeaseStore store) {
    return (LeaseStore)
        Proxy.newProxyInstance(
            LeaseStore.class.getClassLoader(),
            new Class<?>[] {LeaseStore.class},
            (proxy, method, arguments) ->
                method.getName().equals("release")
                    ? new LeaseDecision.Unavailable(200_000, false)
                    : method.invoke(store, arguments));
  }
}
