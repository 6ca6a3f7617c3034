package dev.weir.engine.rules;

import java.util.Optional;

/** What became of the wish to change a rule. */
public sealed interface RuleChange {
  /**
   * It was done.
   *
   * @param before the rule as it was, if there was one
   * @param rule the rule as it is, or as it was last if it was removed
   */
  record Done(Optional<Rule> before, Rule rule) implements RuleChange {}

  /** There is no such rule. */
  record Unknown() implements RuleChange {}

  /** Somebody else has changed it meanwhile. */
  record Stale(Rule current) implements RuleChange {}

  /** Another rule has that name. */
  record NameTaken() implements RuleChange {}

  /** There are {@link Rules#MOST} rules. */
  record TooMany() implements RuleChange {}
}
