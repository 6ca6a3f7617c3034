package dev.weir.testing;

import static java.util.Objects.requireNonNull;

import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.register.Change;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.Rule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.RuleObserver;
import dev.weir.rules.Verdict;
import dev.weir.rules.matching.Request;
import dev.weir.rules.spec.RuleSpec;
import java.time.InstantSource;
import java.util.List;

/**
 * Rules in the memory of this process that decide by a clock.
 *
 * <pre>{@code
 * TestRules rules = TestRules.on(clock, RuleSpec.of("api", Quota.Rate.of(limit)));
 * Verdict verdict = rules.check("api", "user:101");
 * }</pre>
 *
 * <p>Leases of requests are not renewed. Thread-safe.
 */
public final class TestRules {
  private final MemoryRules rules;
  private final RuleIndex index;
  private final RuleEvaluator evaluator;

  private TestRules(InstantSource clock) {
    this.rules = new MemoryRules(clock);
    this.index = new RuleIndex(rules, RuleObserver.NONE);
    MemoryLeaseStore leases = new MemoryLeaseStore(clock);
    this.evaluator =
        new RuleEvaluator(
            index,
            new RuleEvaluator.Stores(new MemoryLimitStore(clock), leases, leases),
            RuleObserver.NONE,
            clock);
  }

  /**
   * Returns rules that decide by a clock.
   *
   * @throws IllegalArgumentException if two rules have the same name
   */
  public static TestRules on(InstantSource clock, RuleSpec... specs) {
    TestRules made = new TestRules(requireNonNull(clock, "clock"));
    for (RuleSpec spec : specs) {
      made.add(spec);
    }
    return made;
  }

  /**
   * Adds a rule.
   *
   * @throws IllegalArgumentException if there is a rule with its name
   */
  public void add(RuleSpec spec) {
    Change<Rule> change = rules.create(spec, "test");
    if (!(change instanceof Change.Done<Rule>)) {
      throw new IllegalArgumentException("rule " + spec.name() + " cannot be added: " + change);
    }
    index.refresh();
  }

  /** Decides by one rule about one unit. Close the ticket of a verdict that passes. */
  public Verdict.Decided check(String rule, String key) {
    return evaluator.decide(List.of(checkOf(rule, key, 1)));
  }

  /** Decides by the rules that cover a request. Close the ticket of a verdict that passes. */
  public Verdict.Decided check(Request request) {
    return evaluator.decide(request);
  }

  /**
   * Returns a check for the {@link #evaluator}.
   *
   * @throws IllegalArgumentException if there is no such rule
   */
  public RuleCheck checkOf(String rule, String key, int cost) {
    LimitedRule found = index.find(rule);
    if (found == null) {
      throw new IllegalArgumentException("there is no rule " + rule);
    }
    return new RuleCheck(found, key, cost);
  }

  /** Returns the evaluator of these rules. */
  public RuleEvaluator evaluator() {
    return evaluator;
  }
}
