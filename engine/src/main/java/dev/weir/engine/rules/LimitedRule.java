package dev.weir.engine.rules;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.Queue;
import dev.weir.engine.limits.Policy;
import java.util.Optional;

/** A rule as it is in force on this node, with all that is needed to answer by it, made once. */
public final class LimitedRule {
  private final Rule rule;
  private final Means means;
  private final PolicyText text;
  private final RuleCounters tally;

  /** By what a rule decides. */
  public sealed interface Means {}

  /** It counts. */
  public record Counted(Policy policy, Optional<Queue> queue) implements Means {}

  /** It gives leases. */
  public record Leased(Concurrency concurrency) implements Means {}

  private LimitedRule(Rule rule, Means means, PolicyText text, RuleCounters tally) {
    this.rule = rule;
    this.means = means;
    this.text = text;
    this.tally = tally;
  }

  public static LimitedRule of(Rule rule, RuleCounters tally) {
    Rule.Terms terms = rule.terms();
    return switch (terms.allowance()) {
      case Quota.Rate rate ->
          new LimitedRule(
              rule,
              new Counted(
                  new Policy(terms.name(), rate.limit(), terms.onStoreFailure(), rule.createdAt()),
                  rate.waiting().queue()),
              PolicyText.ofRule(terms.name(), rate.limit()),
              tally);
      case Quota.Together together ->
          new LimitedRule(
              rule,
              new Leased(together.concurrency()),
              PolicyText.ofConcurrency(terms.name(), together.concurrency()),
              tally);
    };
  }

  public Rule rule() {
    return rule;
  }

  public Rule.Terms terms() {
    return rule.terms();
  }

  public String name() {
    return rule.name();
  }

  public Means means() {
    return means;
  }

  /** How header fields speak of it. */
  public PolicyText text() {
    return text;
  }

  public RuleCounters tally() {
    return tally;
  }

  public boolean isActive() {
    return rule.terms().isActive();
  }

  public boolean isShadow() {
    return rule.terms().mode() == Rule.Mode.SHADOW;
  }

  /** The most that may ever be asked of it at once. */
  public long maxCost() {
    return switch (means) {
      case Counted counted -> counted.policy().limit().maxCost();
      case Leased leased -> leased.concurrency().max();
    };
  }
}
