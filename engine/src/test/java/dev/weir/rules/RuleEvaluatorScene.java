package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.register.Change;
import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.matching.Request;
import dev.weir.rules.matching.RequestPath;
import dev.weir.rules.spec.Coverage;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** An evaluator with rules and stores in memory, and a clock that the test moves. */
abstract class RuleEvaluatorScene {
  final AtomicLong nowMicros = new AtomicLong(Micros.ceil(Instant.parse("2026-06-01T12:00:00Z")));
  final MemoryRules rules = new MemoryRules(InstantSource.system());
  final Map<String, Map<RuleCounters.Kind, Integer>> tallies = new TreeMap<>();
  final AtomicInteger waiting = new AtomicInteger();
  final MemoryLeaseStore leases = new MemoryLeaseStore(() -> Micros.instant(nowMicros.get()));
  final RuleIndex index =
      new RuleIndex(
          rules,
          new RuleObserver() {
            @Override
            public RuleCounters counters(String rule) {
              return outcome -> {
                synchronized (tallies) {
                  tallies
                      .computeIfAbsent(rule, absent -> new EnumMap<>(RuleCounters.Kind.class))
                      .merge(outcome, 1, Integer::sum);
                }
              };
            }
          });
  final RuleEvaluator evaluator =
      new RuleEvaluator(
          index,
          new RuleEvaluator.Stores(
              new MemoryLimitStore(() -> Micros.instant(nowMicros.get()), 10_000), leases, leases),
          new RuleObserver() {
            @Override
            public void waiting(int more) {
              waiting.addAndGet(more);
            }
          },
          nowMicros::get,
          () -> Micros.instant(nowMicros.get()));

  record Sent(String method, RequestPath path, String clientAddress, Map<String, String> headers)
      implements Request {
    @Override
    public @Nullable String header(String name) {
      return headers.get(name);
    }
  }

  static Request get(String path) {
    return new Sent("GET", RequestPath.of(path), "192.0.2.1", Map.of());
  }

  static Request from(String address) {
    return new Sent("GET", RequestPath.of("/a"), address, Map.of());
  }

  static Quota.Rate rate(int limit) {
    return Quota.Rate.of(FixedWindow.of(limit, Duration.ofSeconds(10)));
  }

  static Quota.Rate queued(int limit, int queue, long delayMillis) {
    return new Quota.Rate(
        FixedWindow.of(limit, Duration.ofSeconds(10)),
        new Quota.QueueSettings(true, queue, delayMillis));
  }

  static RuleSpec rule(String name, String path, Quota quota) {
    return RuleSpec.of(name, quota).covering(Coverage.of(PathPattern.of(path)));
  }

  void make(RuleSpec... spec) {
    for (RuleSpec each : spec) {
      assertThat(rules.create(each, "me")).isInstanceOf(Change.Done.class);
    }
    index.refresh();
  }

  void passes(Request request) {
    assertThat(evaluator.decide(request)).isInstanceOf(Verdict.Passed.class);
  }

  Verdict.Refused refuses(Request request) {
    Verdict verdict = evaluator.decide(request);
    assertThat(verdict).isInstanceOf(Verdict.Refused.class);
    return (Verdict.Refused) verdict;
  }

  Verdict.Queued queues(Request request) {
    Verdict verdict = evaluator.decide(request);
    assertThat(verdict).isInstanceOf(Verdict.Queued.class);
    return (Verdict.Queued) verdict;
  }
}
