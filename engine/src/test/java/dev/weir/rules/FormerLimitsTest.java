package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.register.EntryVersion;
import dev.weir.rules.spec.Quota;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which losses of a store concern a rule that was changed. */
final class FormerLimitsTest extends RuleEvaluatorScene {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration DAY = Duration.ofDays(1);

  private final List<EntryVersion<Rule>> versions = new ArrayList<>();

  @Test
  void lossThatWasOverBeforeTheChangeDoesNotConcernTheRule() {
    version(0, FixedWindow.of(100, MINUTE));
    version(60, FixedWindow.of(10_000, DAY));
    assertThat(policy()).isEqualTo(policy(FixedWindow.of(10_000, DAY), 59, 60));
    version(70, FixedWindow.of(20_000, DAY));
    assertThat(policy())
        .as("the window is the same")
        .isEqualTo(policy(FixedWindow.of(20_000, DAY), 59, 60));
    version(80, FixedWindow.of(100, MINUTE));
    assertThat(policy())
        .as("a loss of a minute before the day may still matter")
        .isEqualTo(policy(FixedWindow.of(100, MINUTE), 59, 80));
    version(81, FixedWindow.of(100, DAY));
    assertThat(policy())
        .as("everything counted from the change on, and was restored in a minute")
        .isEqualTo(policy(FixedWindow.of(100, DAY), 80, 81));
  }

  @Test
  void slidingWindowIsRestoredAfterTwoWindows() {
    version(0, SlidingWindow.of(100, MINUTE));
    version(60, SlidingWindow.of(100, DAY));
    assertThat(policy()).isEqualTo(policy(SlidingWindow.of(100, DAY), 58, 60));
  }

  @Test
  void bucketOfAnotherCapacityIsAnotherLimit() {
    TokenBucket small = TokenBucket.of(100).refill(100, MINUTE);
    TokenBucket large = TokenBucket.of(10_000).refill(100, MINUTE);
    version(0, small);
    version(60, large);
    assertThat(policy()).isEqualTo(policy(large, 59, 60));
  }

  @Test
  void otherKindsAndNamesStartAfresh() {
    version(0, FixedWindow.of(100, DAY));
    version(10, SlidingWindow.of(100, DAY));
    assertThat(policy()).isEqualTo(fresh("r", SlidingWindow.of(100, DAY), 10));
    version(20, new Quota.Concurrent(Concurrency.of(2, MINUTE)), "r");
    version(30, SlidingWindow.of(100, DAY));
    assertThat(policy()).isEqualTo(fresh("r", SlidingWindow.of(100, DAY), 30));
    version(40, Quota.Rate.of(SlidingWindow.of(100, DAY)), "renamed");
    assertThat(policy()).isEqualTo(fresh("renamed", SlidingWindow.of(100, DAY), 40));
  }

  @Test
  void ruleThatWasNotChangedIsAsOldAsItsCreation() {
    version(0, FixedWindow.of(100, MINUTE));
    assertThat(policy()).isEqualTo(fresh("r", FixedWindow.of(100, MINUTE), 0));
    version(10, FixedWindow.of(100, MINUTE));
    assertThat(policy()).isEqualTo(fresh("r", FixedWindow.of(100, MINUTE), 0));
  }

  private static Policy policy(Limit limit, int createdAt, int changedAt) {
    return fresh("r", limit, createdAt).changedAt(at(changedAt));
  }

  private static Policy fresh(String name, Limit limit, int createdAt) {
    return Policy.of(name, limit).createdAt(at(createdAt));
  }

  private static Instant at(int minutes) {
    return NOON.plus(Duration.ofMinutes(minutes));
  }

  private void version(int minutes, Limit limit) {
    version(minutes, Quota.Rate.of(limit), "r");
  }

  private void version(int minutes, Quota quota, String name) {
    Rule rule = new Rule(1, versions.size() + 1, rule(name, "/**", quota), NOON, at(minutes));
    versions.addFirst(new EntryVersion<>(rule, "test", false));
  }

  private Policy policy() {
    Rule rule = versions.getFirst().entry();
    return FormerLimits.policy(rule, (Quota.Rate) rule.spec().quota(), versions);
  }
}
