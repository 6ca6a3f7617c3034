package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Which checks are reported as refused. */
final class RefusedCheckTest {
  private final List<String> refused = new ArrayList<>();
  private final MemoryRules rules = new MemoryRules(InstantSource.system());
  private final RuleIndex index =
      new RuleIndex(
          rules,
          new RuleObserver() {
            @Override
            public RuleCounters counters(String rule) {
              return new Recording();
            }
          });
  private final RuleEvaluator evaluator = evaluator();

  /** Records the keys of refused checks. */
  private final class Recording implements RuleCounters {
    @Override
    public void count(Kind kind) {}

    @Override
    public void refused(RuleCheck check) {
      refused.add(check.rule().name() + " " + check.key());
    }
  }

  @Test
  void aCheckInOneStepIsReportedOnlyIfItIsRefused() {
    make("one", RuleSpec.Mode.ENFORCE);
    decide("alice", "one");
    assertThat(refused).isEmpty();
    decide("alice", "one");
    decide("bob", "one");
    decide("alice", "one");
    assertThat(refused).containsExactly("one alice", "one alice");
  }

  @Test
  void aRuleInTheShadowIsReportedIfItWouldHaveRefused() {
    make("wide", RuleSpec.Mode.ENFORCE);
    make("trial", RuleSpec.Mode.SHADOW);
    decide("alice", "trial");
    decide("alice", "trial");
    assertThat(refused).containsExactly("trial alice");
    decide("alice", "wide", "trial");
    decide("alice", "wide", "trial");
    assertThat(refused).containsExactly("trial alice", "trial alice", "wide alice");
  }

  private void make(String name, RuleSpec.Mode mode) {
    rules.create(
        RuleSpec.of(name, Quota.Rate.of(FixedWindow.of(1, Duration.ofHours(1)))).mode(mode),
        "test");
    index.refresh();
  }

  private void decide(String key, String... names) {
    List<RuleCheck> checks = new ArrayList<>();
    for (String name : names) {
      checks.add(new RuleCheck(Objects.requireNonNull(index.find(name)), key, 1));
    }
    evaluator.decide(checks, RuleEvaluator.Repeat.NONE);
  }

  private RuleEvaluator evaluator() {
    MemoryLeaseStore leases = new MemoryLeaseStore();
    return new RuleEvaluator(
        index,
        new RuleEvaluator.Stores(new MemoryLimitStore(1_000), leases, leases),
        RuleObserver.NONE);
  }
}
