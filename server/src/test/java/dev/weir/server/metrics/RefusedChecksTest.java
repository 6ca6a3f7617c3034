package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.limits.FixedWindow;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleCounters;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The sample of refused checks. */
final class RefusedChecksTest {
  private final RefusedChecks refused = new RefusedChecks();
  private final LimitedRule rule = rule();

  @Test
  void aFewAreAllThere() {
    List<RuleCheck> offered = IntStream.range(0, 100).mapToObj(this::check).toList();
    offered.forEach(refused::offer);

    List<RuleCheck> drained = new ArrayList<>();
    assertThat(refused.drain((check, weight) -> drained.add(check)))
        .isEqualTo(new RefusedChecks.Drained(100, 0));
    assertThat(drained).containsExactlyElementsOf(offered);
    assertThat(refused.drain((check, weight) -> drained.add(check)))
        .isEqualTo(new RefusedChecks.Drained(0, 0));
  }

  @Test
  void ofManyARandomChoiceStandsForAll() {
    IntStream.range(0, 10_000).mapToObj(this::check).forEach(refused::offer);

    List<RuleCheck> drained = new ArrayList<>();
    double[] sum = {0};
    RefusedChecks.Drained result =
        refused.drain(
            (check, weight) -> {
              drained.add(check);
              sum[0] += weight;
            });
    assertThat(result.checks()).isEqualTo(10_000);
    assertThat(result.variance()).isPositive();
    assertThat(sum[0]).isCloseTo(10_000, within(0.001));
    assertThat(drained)
        .hasSizeLessThanOrEqualTo(RefusedChecks.CAPACITY)
        .doesNotHaveDuplicates()
        .as("not only the first ones; all would be of the first half once in 2^128 times")
        .anyMatch(check -> Integer.parseInt(check.key().substring(4)) >= 5_000);
    assertThat(refused.drain((check, weight) -> {}).checks()).as("nothing is left").isZero();
  }

  @Test
  void threadsDoNotDisturbEachOther() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      int id = i;
      threads.add(Thread.ofVirtual().start(() -> refused.offer(check(id))));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    List<RuleCheck> drained = new ArrayList<>();
    refused.drain((check, weight) -> drained.add(check));
    assertThat(drained)
        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 64).mapToObj(this::check).toList());
  }

  private RuleCheck check(int id) {
    return new RuleCheck(rule, "key-" + id, 1);
  }

  private static LimitedRule rule() {
    MemoryRules rules = new MemoryRules(InstantSource.system());
    rules.create(RuleSpec.of("r", Quota.Rate.of(FixedWindow.of(1, Duration.ofMinutes(1)))), "test");
    return LimitedRule.of(rules.all().getFirst(), RuleCounters.NONE);
  }
}
