package dev.weir.rules;

import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseHistory;
import dev.weir.limits.Policy;
import dev.weir.limits.Queue;
import dev.weir.register.EntryVersion;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.rules.text.PolicyText;
import java.util.List;
import java.util.Optional;

/**
 * A rule in force on this node, with everything that is needed to decide by it, prepared once.
 * Immutable.
 */
public final class LimitedRule {
  private final Rule rule;
  private final int order;
  private final Kind kind;
  private final PolicyText text;
  private final LeaseHistory leaseHistory;
  private final RuleCounters counters;

  /** How a rule decides. */
  public sealed interface Kind {}

  /** By counting. */
  public record Counted(Policy policy, Optional<Queue> queue) implements Kind {}

  /** By granting leases. */
  public record Leased(Concurrency concurrency) implements Kind {}

  private LimitedRule(
      Rule rule,
      int order,
      Kind kind,
      PolicyText text,
      LeaseHistory leaseHistory,
      RuleCounters counters) {
    this.rule = rule;
    this.order = order;
    this.kind = kind;
    this.text = text;
    this.leaseHistory = leaseHistory;
    this.counters = counters;
  }

  /** Prepares a rule that was never changed. */
  public static LimitedRule of(Rule rule, RuleCounters counters) {
    return of(rule, List.of(), VersionOrder.of(rule), counters);
  }

  /**
   * Prepares a rule.
   *
   * @param versions of the rule, the newest first; may be empty unless {@link #hasPast}
   * @param order of its version, see {@link VersionOrder}
   */
  static LimitedRule of(
      Rule rule, List<EntryVersion<Rule>> versions, int order, RuleCounters counters) {
    RuleSpec spec = rule.spec();
    LeaseHistory leaseHistory = FormerLeases.history(rule, versions);
    return switch (spec.quota()) {
      case Quota.Rate rate ->
          new LimitedRule(
              rule,
              order,
              new Counted(
                  FormerLimits.policy(rule, rate, versions).version(order),
                  rate.queueSettings().queue()),
              PolicyText.ofRule(spec.name(), rate.limit()),
              leaseHistory,
              counters);
      case Quota.Concurrent concurrent ->
          new LimitedRule(
              rule,
              order,
              new Leased(concurrent.concurrency()),
              PolicyText.ofConcurrency(spec.name(), concurrent.concurrency()),
              leaseHistory,
              counters);
    };
  }

  /** Returns true if the former versions of a rule may have granted what still matters. */
  static boolean hasPast(Rule rule) {
    return rule.version() > 1;
  }

  public Rule rule() {
    return rule;
  }

  /** Returns the order of its version among all versions of rules of this name. */
  int order() {
    return order;
  }

  public RuleSpec spec() {
    return rule.spec();
  }

  public String name() {
    return rule.name();
  }

  public Kind kind() {
    return kind;
  }

  /** Returns the representation of this rule in header fields. */
  public PolicyText text() {
    return text;
  }

  /** Returns what is known about leases and places in the queue that may have been granted. */
  LeaseHistory leaseHistory() {
    return leaseHistory;
  }

  public RuleCounters counters() {
    return counters;
  }

  public boolean isActive() {
    return rule.spec().isActive();
  }

  public boolean isShadow() {
    return rule.spec().mode() == RuleSpec.Mode.SHADOW;
  }

  /** Returns the maximum cost of a check of this rule. */
  public long maxCost() {
    return switch (kind) {
      case Counted counted -> counted.policy().limit().maxCost();
      case Leased leased -> leased.concurrency().max();
    };
  }
}
