package dev.weir.rules;

import dev.weir.limits.Outcome;

/**
 * The outcome of one rule for one {@link RuleCheck}. For a rule that grants leases, {@code
 * remaining} is the number of free places; when more will be free is not known.
 */
public record RuleResult(RuleCheck check, Outcome outcome) {
  public LimitedRule rule() {
    return check.rule();
  }
}
