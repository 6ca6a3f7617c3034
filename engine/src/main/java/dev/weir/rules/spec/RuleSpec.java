package dev.weir.rules.spec;

import dev.weir.limits.LimitStore;
import dev.weir.limits.OnStoreFailure;
import java.math.BigDecimal;

/**
 * The content of a rule. {@link RuleField} lists its fields as users write them, with their bounds.
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
    Mode mode,
    boolean isActive) {
  public static final int MAX_PRIORITY = 1_000_000;

  /** What happens with the decisions of a rule. */
  public enum Mode {
    /** They are enforced. */
    ENFORCE,
    /** They are counted, and nothing is refused. */
    SHADOW
  }

  public RuleSpec {
    RuleField.NAME.require(name);
    RuleField.PRIORITY.require(BigDecimal.valueOf(priority));
    if (quota instanceof Quota.Concurrent) {
      RuleField.ON_STORE_FAILURE.require(
          FieldType.Choice.lower(onStoreFailure), RuleAlgorithm.CONCURRENCY);
    }
  }

  /**
   * Reads a rule. Absent fields have their defaults.
   *
   * @throws InvalidRuleException if it is invalid, naming every invalid field
   */
  public static RuleSpec read(RuleSource source) {
    return RuleSpecReader.read(source);
  }

  /** Returns the values of the fields of this rule, with those that equal their defaults. */
  public RuleSource values() {
    return new RuleSpecValues(this);
  }

  /** Returns an active rule that applies by name only. */
  public static RuleSpec of(String name, Quota quota) {
    return new RuleSpec(
        name, Coverage.BY_NAME, quota, OnStoreFailure.CLOSED, 0, Mode.ENFORCE, true);
  }

  /** Returns true if a store counts this kind of rule, or if the rule counts nothing. */
  public boolean isCountedBy(LimitStore store) {
    return !isActive
        || !(quota instanceof Quota.Rate rate)
        || store.kinds().contains(rate.limit().getClass());
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

  public RuleSpec mode(Mode other) {
    return new RuleSpec(name, coverage, quota, onStoreFailure, priority, other, isActive);
  }

  public RuleSpec active(boolean other) {
    return new RuleSpec(name, coverage, quota, onStoreFailure, priority, mode, other);
  }
}
