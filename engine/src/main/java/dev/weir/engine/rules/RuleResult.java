package dev.weir.engine.rules;

import dev.weir.core.limits.Outcome;

/**
 * The outcome of one rule for one {@link RuleCheck}. For a rule that grants leases, {@code
 * remaining} is the number of free places; when more will be free is not known.
 */
public record RuleResult(RuleCheck check, Outcome outcome) {
  public LimitedRule rule() {
    return check.rule();
  }
}
