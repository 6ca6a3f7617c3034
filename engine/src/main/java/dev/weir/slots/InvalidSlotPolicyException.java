package dev.weir.slots;

import dev.weir.Violation;
import java.util.List;
import java.util.stream.Collectors;

/** Thrown for an invalid slot policy; names every invalid field. */
public final class InvalidSlotPolicyException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;

  public InvalidSlotPolicyException(List<Violation> violations) {
    super(
        violations.stream()
            .map(violation -> violation.field() + " " + violation.message())
            .collect(Collectors.joining("; ")));
    this.violations = List.copyOf(violations);
  }

  public List<Violation> violations() {
    return violations;
  }
}
