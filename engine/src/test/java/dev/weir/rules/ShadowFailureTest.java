package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A shadow rule that cannot be evaluated does not change the outcome of a request. */
final class ShadowFailureTest extends RuleEvaluatorScene {
  private static final Quota.Concurrent ONE =
      new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(30)));

  private RuleEvaluator evaluator(int keys, HookedLeases hooked, RuleObserver observer) {
    return new RuleEvaluator(
        index,
        new RuleEvaluator.Stores(
            new MemoryLimitStore(() -> Micros.instant(nowMicros.get()), keys), hooked, hooked),
        observer,
        nowMicros::get,
        () -> Micros.instant(nowMicros.get()));
  }

  private static RuleSpec shadow(String name, Quota quota) {
    return rule(name, "/**", quota).mode(RuleSpec.Mode.SHADOW);
  }

  @Test
  void fullStoreOfCountsKeepsNoPlaceAndRefusesNothing() {
    make(
        rule("enforced", "/**", ONE),
        shadow("other", Quota.Rate.of(FixedWindow.of(5, Duration.ofHours(1)))),
        shadow("shadow", Quota.Rate.of(FixedWindow.of(5, Duration.ofHours(1)))));
    RuleEvaluator small = evaluator(1, new HookedLeases(leases), RuleObserver.NONE);
    for (int i = 0; i < 3; i++) {
      Verdict verdict = small.decide(get("/a"));
      assertThat(verdict).isInstanceOf(Verdict.Passed.class);
      ((Verdict.Passed) verdict).ticket().close();
    }
    assertThat(tallies.get("enforced")).isEqualTo(Map.of(RuleCounters.Kind.ALLOWED, 3));
    assertThat(List.of(tallies.get("other"), tallies.get("shadow")))
        .containsExactlyInAnyOrder(
            Map.of(RuleCounters.Kind.SHADOW_ALLOWED, 3),
            Map.of(RuleCounters.Kind.SHADOW_UNDECIDED, 3));
  }

  /** Even if the store is defective, not only unavailable. */
  @Test
  void failedLeaseOfAShadowRuleIsOnlyCounted() {
    make(rule("enforced", "/**", rate(2)), shadow("shadow", ONE));
    HookedLeases hooked = new HookedLeases(leases);
    RuleEvaluator evaluator = evaluator(10, hooked, RuleObserver.NONE);
    hooked.beforeAcquire(
        () -> {
          throw new IllegalStateException("a defect");
        });
    assertThat(evaluator.decide(get("/a"))).isInstanceOf(Verdict.Passed.class);
    assertThat(evaluator.decide(get("/a"))).isInstanceOf(Verdict.Passed.class);
    assertThat(evaluator.decide(get("/a"))).isInstanceOf(Verdict.Refused.class);
    assertThat(tallies.get("shadow"))
        .isEqualTo(
            Map.of(RuleCounters.Kind.SHADOW_UNDECIDED, 1, RuleCounters.Kind.SHADOW_ALLOWED, 1));
  }

  @Test
  void placeIsFreeIfTheVerdictDoesNotReachTheCaller() {
    make(rule("enforced", "/**", ONE));
    RuleEvaluator evaluator =
        evaluator(
            10,
            new HookedLeases(leases),
            new RuleObserver() {
              @Override
              public void decided(AcquireResult.Mode mode) {
                throw new IllegalStateException("a defect");
              }
            });
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> evaluator.decide(get("/a"))).hasMessage("a defect");
    }
    assertThat(tallies).isEmpty();
    nowMicros.addAndGet(20_000_000);
    evaluator.renewLeases();
    nowMicros.addAndGet(20_000_000);
    passes(get("/a"));
  }
}
