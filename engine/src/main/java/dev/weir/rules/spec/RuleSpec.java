package dev.weir.rules.spec;

import static java.util.Objects.requireNonNull;

import dev.weir.limits.LimitStore;
import dev.weir.limits.OnStoreFailure;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.Map;

/**
 * The content of a rule. {@link RuleField} lists its fields as users write them, with their bounds.
 * Immutable.
 */
public final class RuleSpec {
  public static final int MAX_PRIORITY = 1_000_000;

  /** What happens with the decisions of a rule. */
  public enum Mode {
    /** They are enforced. */
    ENFORCE,
    /** They are counted, and nothing is refused. */
    SHADOW
  }

  private final Map<RuleField, Object> values;

  // Decisions read these often.
  private final String name;
  private final Coverage coverage;
  private final Quota quota;
  private final OnStoreFailure onStoreFailure;
  private final int priority;
  private final Mode mode;
  private final boolean isActive;

  /**
   * Creates a rule.
   *
   * @param given valid values of fields, which those of the coverage and the quota replace; absent
   *     ones have their defaults
   */
  RuleSpec(Map<RuleField, Object> given, Coverage coverage, Quota quota) {
    this.values = RuleSpecValues.of(given, coverage, quota);
    this.name = (String) value(RuleField.NAME);
    this.coverage = coverage;
    this.quota = quota;
    this.onStoreFailure =
        FieldType.Choice.constant(OnStoreFailure.class, value(RuleField.ON_STORE_FAILURE));
    this.priority = ((BigDecimal) value(RuleField.PRIORITY)).intValueExact();
    this.mode = FieldType.Choice.constant(Mode.class, value(RuleField.MODE));
    this.isActive = (boolean) value(RuleField.ACTIVE);
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
    return values::get;
  }

  /** Returns the value of a field that every rule has. */
  private Object value(RuleField field) {
    return requireNonNull(values.get(field), field.fieldName());
  }

  /** Returns an active rule that applies by name only. */
  public static RuleSpec of(String name, Quota quota) {
    RuleField.NAME.require(name);
    return new RuleSpec(Map.of(RuleField.NAME, name), Coverage.BY_NAME, quota);
  }

  public String name() {
    return name;
  }

  /** Returns which requests the rule covers; callers may also name it. */
  public Coverage coverage() {
    return coverage;
  }

  /** Returns what the rule allows. */
  public Quota quota() {
    return quota;
  }

  public OnStoreFailure onStoreFailure() {
    return onStoreFailure;
  }

  /**
   * Returns the priority: of the rules that cover a request, only those with the highest one apply.
   */
  public int priority() {
    return priority;
  }

  public Mode mode() {
    return mode;
  }

  /** Returns false if the rule allows everything and counts nothing. */
  public boolean isActive() {
    return isActive;
  }

  /** Returns true if a store counts this kind of rule, or if the rule counts nothing. */
  public boolean isCountedBy(LimitStore store) {
    return !isActive
        || !(quota instanceof Quota.Rate rate)
        || store.kinds().contains(rate.limit().getClass());
  }

  public RuleSpec covering(Coverage other) {
    return new RuleSpec(values, other, quota);
  }

  public RuleSpec onStoreFailure(OnStoreFailure other) {
    return with(RuleField.ON_STORE_FAILURE, FieldType.Choice.lower(other));
  }

  public RuleSpec priority(int other) {
    return with(RuleField.PRIORITY, BigDecimal.valueOf(other));
  }

  public RuleSpec mode(Mode other) {
    return with(RuleField.MODE, FieldType.Choice.lower(other));
  }

  public RuleSpec active(boolean other) {
    return with(RuleField.ACTIVE, other);
  }

  /**
   * Returns this rule with another value of a field that belongs neither to the coverage nor to the
   * quota.
   */
  private RuleSpec with(RuleField field, Object value) {
    field.require(value, RuleAlgorithm.valueOf((String) value(RuleField.ALGORITHM)));
    Map<RuleField, Object> changed = new EnumMap<>(values);
    changed.put(field, value);
    return new RuleSpec(changed, coverage, quota);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RuleSpec that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns all fields, for logs. */
  @Override
  public String toString() {
    return "RuleSpec" + values;
  }
}
