package dev.weir.server.rest;

import dev.weir.engine.limits.Policy;
import dev.weir.engine.limits.Rule;
import dev.weir.server.metrics.LimitMetrics;

/** A rule with all that is needed to answer by it, made once. */
public record LimitedRule(Rule rule, PolicyText text, LimitMetrics.RuleCounts counts) {
  public static LimitedRule of(Rule rule, LimitMetrics metrics) {
    return new LimitedRule(
        rule,
        PolicyText.ofRule(rule.name(), rule.terms().policy().limit()),
        metrics.rule(rule.name()));
  }

  String name() {
    return rule.name();
  }

  Policy<?> policy() {
    return rule.terms().policy();
  }

  boolean isActive() {
    return rule.terms().isActive();
  }
}
