package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.FixedWindow;
import dev.weir.register.Register;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.RuleCounters;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which rules have metrics of their own. */
final class LimitMetricsTest {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final LimitMetrics metrics = new LimitMetrics(registry);
  private final MemoryRules rules = new MemoryRules(InstantSource.system());
  private final RuleIndex index = new RuleIndex(rules, metrics);

  @Test
  void aRemovedRuleLosesItsSeriesAndFreesItsPlace() {
    for (int i = 0; i < LimitMetrics.MAX_RULES; i++) {
      make("r" + i);
    }
    make("late");
    index.refresh();
    count("r0");
    count("late");
    assertThat(labels()).hasSize(LimitMetrics.MAX_RULES + 1).contains("r0").doesNotContain("late");
    assertThat(counted(LimitMetrics.OTHER_RULES)).isEqualTo(1);

    remove("r0");
    index.refresh();
    count("late");
    assertThat(labels()).hasSize(LimitMetrics.MAX_RULES + 1).contains("late").doesNotContain("r0");
    assertThat(counted("late")).isEqualTo(1);

    make("r0");
    remove("r1");
    index.refresh();
    count("r0");
    assertThat(counted("r0")).as("counted anew, not from where it was").isEqualTo(1);
  }

  @Test
  void aRuleNamedLikeTheRestSharesItsSeries() {
    make(LimitMetrics.OTHER_RULES);
    index.refresh();
    count(LimitMetrics.OTHER_RULES);
    remove(LimitMetrics.OTHER_RULES);
    index.refresh();
    assertThat(counted(LimitMetrics.OTHER_RULES)).isEqualTo(1);
  }

  @Test
  void whatDoesNotChangeKeepsItsCounts() {
    make("api");
    index.refresh();
    LimitedRule before = index.find("api");
    count("api");
    make("other rule");
    index.refresh();
    assertThat(index.find("api")).isSameAs(before);
    count("api");
    assertThat(counted("api")).isEqualTo(2);
  }

  private void make(String name) {
    rules.create(
        RuleSpec.of(name, Quota.Rate.of(FixedWindow.of(1, Duration.ofMinutes(1)))), "test");
  }

  private void remove(String name) {
    long id =
        rules.all().stream()
            .filter(rule -> rule.name().equals(name))
            .findFirst()
            .orElseThrow()
            .id();
    rules.remove(id, Register.ANY_VERSION, "test");
  }

  private void count(String rule) {
    Objects.requireNonNull(index.find(rule)).counters().count(RuleCounters.Kind.ALLOWED);
  }

  private CounterSnapshot decisions() {
    return registry.scrape().stream()
        .filter(each -> each.getMetadata().getName().equals("rate_limiter_decisions"))
        .map(CounterSnapshot.class::cast)
        .findFirst()
        .orElseThrow();
  }

  private Set<String> labels() {
    return decisions().getDataPoints().stream()
        .map(point -> point.getLabels().get("rule"))
        .collect(Collectors.toSet());
  }

  private double counted(String rule) {
    return decisions().getDataPoints().stream()
        .filter(point -> rule.equals(point.getLabels().get("rule")))
        .filter(point -> "allowed".equals(point.getLabels().get("outcome")))
        .findFirst()
        .orElseThrow()
        .getValue();
  }
}
