package dev.weir.engine.rules;

import dev.weir.engine.limits.LimitNames;
import dev.weir.engine.limits.OnStoreFailure;

/**
 * The content of a rule.
 *
 * @param coverage which requests it covers; callers may also name the rule
 * @param quota what it allows
 * @param priority of the rules that cover a request, only those with the highest priority apply
 * @param isActive false to allow everything and count nothing
 */
public record RuleSpec(
    String name,
    Coverage coverage,
    Quota quota,
    OnStoreFailure onStoreFailure,
    int priority,
    Rule.Mode mode,
    boolean isActive) {
  public static final int MAX_PRIORITY = 1_000_000;

  public RuleSpec {
    LimitNames.problem(name)
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException("name " + problem);
            });
    if (Math.abs(priority) > MAX_PRIORITY) {
      throw new IllegalArgumentException(
          "priority must be from %d to %d, not %d"
              .formatted(-MAX_PRIORITY, MAX_PRIORITY, priority));
    }
    if (quota instanceof Quota.Together
        && onStoreFailure != OnStoreFailure.CLOSED
        && onStoreFailure != OnStoreFailure.OPEN) {
      throw new IllegalArgumentException(
          "onStoreFailure of a concurrency must be closed or open, not " + onStoreFailure);
    }
  }

  /** Returns an active rule that applies by name only. */
  public static RuleSpec of(String name, Quota quota) {
    return new RuleSpec(
        name, Coverage.BY_NAME, quota, OnStoreFailure.CLOSED, 0, Rule.Mode.ENFORCE, true);
  }

  public RuleSpec covering(Coverage other) {
    return new RuleSpec(name, other, quota, onStoreFailure, priority, mode, isActive);
  }

  public RuleSpec onStoreFailure(OnStoreFailure other) {
    return new RuleSpec(name, coverage, quota, other, priority, mode, isActive);
  }

  public RuleSpec priority(int other) {
    return new RuleSpec(name, coverage, quota, onStoreFailure, other, mode, isActive);
  }

  public RuleSpec mode(Rule.Mode other) {
    return new RuleSpec(name, coverage, quota, onStoreFailure, priority, other, isActive);
  }

  public RuleSpec active(boolean other) {
    return new RuleSpec(name, coverage, quota, onStoreFailure, priority, mode, other);
  }

  public RuleSpec allowing(Quota other) {
    return new RuleSpec(name, coverage, other, onStoreFailure, priority, mode, isActive);
  }
}
