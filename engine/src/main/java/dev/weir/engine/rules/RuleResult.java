package dev.weir.engine.rules;

import dev.weir.core.limits.Decision;

/**
 * What a rule said to what was asked of it. Of a rule that gives leases, what remains are the free
 * places, and when more will be is not known.
 */
public record RuleResult(RuleCheck asked, Decision decision) {
  public LimitedRule rule() {
    return asked.rule();
  }
}
