package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.limits.FixedWindow;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleCounters;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.server.metrics.LimitMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What rules refused, by rule and by key. */
final class RefusalsTest {
  private static final long START = Instant.parse("2026-06-01T12:00:00Z").getEpochSecond();

  private final LimitMetrics metrics = new LimitMetrics(new PrometheusRegistry());
  private final MemoryRules rules = new MemoryRules(InstantSource.system());
  private final RuleIndex index = new RuleIndex(rules, metrics);
  private final Refusals refusals = new Refusals(metrics);

  RefusalsTest() {
    RuleSpec login = RuleSpec.of("login", Quota.Rate.of(FixedWindow.of(1, Duration.ofMinutes(1))));
    rules.create(login, "test");
    RuleSpec trial = RuleSpec.of("trial", Quota.Rate.of(FixedWindow.of(1, Duration.ofMinutes(1))));
    rules.create(trial.mode(RuleSpec.Mode.SHADOW), "test");
    index.refresh();
  }

  @Test
  void countsByRuleAndByKey() {
    refusals.update(START);
    refuse("login", "alice", 3);
    refuse("login", "bob", 5);
    refuse("trial", "carol", 2);
    check("login", "dave").count(RuleCounters.Kind.ALLOWED);
    refusals.update(START + 1);

    Refusals.Report report = refusals.report();
    assertThat(report.from()).isEqualTo(Instant.parse("2026-06-01T12:00:00Z"));
    assertThat(report.sampleError()).isZero();
    assertThat(top(report.keys())).containsExactly("login bob 5", "login alice 3");
    assertThat(top(report.shadowKeys())).containsExactly("trial carol 2");
    assertThat(Refusals.mostRefused(report.rules().own())).containsExactly("login", "trial");
    assertThat(report.rules().own().get("login").of(RuleCounters.Kind.REFUSED)).isEqualTo(8);
    assertThat(report.rules().own().get("login").of(RuleCounters.Kind.ALLOWED)).isEqualTo(1);
    assertThat(report.rules().own().get("trial").of(RuleCounters.Kind.SHADOW_REFUSED)).isEqualTo(2);
  }

  @Test
  void forgetsAfterFifteenMinutes() {
    refusals.update(START);
    refuse("login", "old", 4);
    refusals.update(START + 1);
    refuse("login", "new", 2);
    refusals.update(START + 14 * 60);
    assertThat(top(refusals.report().keys())).containsExactly("login old 4", "login new 2");

    refusals.update(START + 15 * 60);
    Refusals.Report report = refusals.report();
    assertThat(top(report.keys())).containsExactly("login new 2");
    assertThat(report.from()).isEqualTo(Instant.ofEpochSecond(START + 14 * 60));
    assertThat(report.rules().own().get("login").of(RuleCounters.Kind.REFUSED))
        .as("those of the first second of a minute, as its keys")
        .isEqualTo(2);
  }

  @Test
  void aFloodIsCountedFromASample() {
    refusals.update(START);
    refuse("login", "flood", 100_000);
    refusals.update(START + 1);

    Refusals.Report report = refusals.report();
    assertThat(report.sampleError()).isPositive();
    assertThat(top(report.keys())).containsExactly("login flood 100000");
  }

  /** Each thread has its own stripe, which stands for what that thread refused. */
  @Test
  void aFloodOnOneThreadDoesNotRaiseTheNumbersOfAnother() throws InterruptedException {
    refusals.update(START);
    Thread flood = new Thread(() -> refuse("login", "flood", 10_000));
    Thread trickle = new Thread(() -> refuse("login", "trickle", 100));
    while ((trickle.threadId() - flood.threadId()) % 16 == 0) {
      trickle = new Thread(() -> refuse("login", "trickle", 100));
    }
    flood.start();
    trickle.start();
    flood.join();
    trickle.join();
    refusals.update(START + 1);

    assertThat(top(refusals.report().keys()))
        .containsExactly("login flood 10000", "login trickle 100");
  }

  @Test
  void theErrorOfASampleIsReported() {
    refusals.update(START);
    refuse("login", "early", 10_000);
    refuse("login", "late", 10_000);
    refusals.update(START + 1);

    Refusals.Report report = refusals.report();
    // Further off than twice the error, that is six deviations, is once in 500 million times.
    assertThat(report.keys().top(2, Refusals.RefusedKey.ORDER))
        .hasSize(2)
        .allSatisfy(
            hit ->
                assertThat((double) hit.count())
                    .isCloseTo(10_000, within(2.0 * report.sampleError())));
    assertThat(report.sampleError()).isBetween(1L, 5_000L);
  }

  @Test
  void aRuleWithTheNameOfTheOthersIsNotTakenForThem() {
    rules.create(
        RuleSpec.of("other", Quota.Rate.of(FixedWindow.of(1, Duration.ofMinutes(1)))), "test");
    index.refresh();
    refuse("other", "k", 3);
    refusals.update(START);

    assertThat(refusals.report().rules().own()).containsOnlyKeys("login", "trial");
    assertThat(refusals.report().rules().shared().of(RuleCounters.Kind.REFUSED)).isEqualTo(3);
  }

  @Test
  void aClockThatIsSetBackStartsAnew() {
    refusals.update(START);
    refuse("login", "old", 4);
    refusals.update(START + 1);
    refusals.update(START - 3_600);
    assertThat(refusals.report().from()).isEqualTo(Instant.ofEpochSecond(START - 3_600));
    assertThat(top(refusals.report().keys())).isEmpty();
  }

  private void refuse(String rule, String key, int times) {
    RuleCheck check = check(rule, key);
    for (int i = 0; i < times; i++) {
      check.count(
          check.rule().isShadow() ? RuleCounters.Kind.SHADOW_REFUSED : RuleCounters.Kind.REFUSED);
    }
  }

  private RuleCheck check(String rule, String key) {
    LimitedRule limited = Objects.requireNonNull(index.find(rule));
    return new RuleCheck(limited, key, 1);
  }

  private static List<String> top(HeavyHitters<Refusals.RefusedKey> keys) {
    return keys.top(Refusals.TOP, Refusals.RefusedKey.ORDER).stream()
        .map(hit -> "%s %s %d".formatted(hit.key().rule(), hit.key().key(), hit.count()))
        .toList();
  }
}
