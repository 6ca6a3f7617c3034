package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.limits.FixedWindow;
import dev.weir.engine.rules.LimitedRule;
import dev.weir.engine.rules.MemoryRules;
import dev.weir.engine.rules.Quota;
import dev.weir.engine.rules.RuleCheck;
import dev.weir.engine.rules.RuleCounters;
import dev.weir.engine.rules.RuleSpec;
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
    assertThat(refused.drain(drained::add)).isEqualTo(new RefusedChecks.Drained(100, false));
    assertThat(drained).containsExactlyElementsOf(offered);
    assertThat(refused.drain(drained::add)).isEqualTo(new RefusedChecks.Drained(0, false));
  }

  @Test
  void ofManyOnlyTheFirstAreThere() {
    IntStream.range(0, 10_000).mapToObj(this::check).forEach(refused::offer);

    List<RuleCheck> drained = new ArrayList<>();
    RefusedChecks.Drained result = refused.drain(drained::add);
    assertThat(result.isFull()).isTrue();
    assertThat(result.checks())
        .isEqualTo(drained.size())
        .isLessThanOrEqualTo(RefusedChecks.CAPACITY);
    assertThat(drained)
        .isNotEmpty()
        .containsExactlyElementsOf(
            IntStream.range(0, drained.size()).mapToObj(this::check).toList());
    assertThat(refused.drain(drained::add).checks()).as("nothing is left").isZero();
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
    refused.drain(drained::add);
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
