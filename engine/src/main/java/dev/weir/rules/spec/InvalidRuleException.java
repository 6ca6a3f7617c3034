package dev.weir.rules.spec;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown for an invalid rule; names every invalid field. */
public final class InvalidRuleException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;

  /** An invalid field and what is wrong with it. */
  public record Violation(RuleField field, FieldType.Problem problem) {}

  InvalidRuleException(List<Violation> violations) {
    super(
        violations.stream()
            .map(violation -> violation.field().fieldName() + " " + violation.problem().message())
            .collect(Collectors.joining("; ")));
    this.violations = List.copyOf(violations);
  }

  /**
   * Returns the invalid fields in their order, without those that are {@linkplain
   * RuleSource#isUnreadable unreadable}.
   */
  public List<Violation> violations() {
    return violations;
  }
}
