package dev.weir.rules.spec;

import dev.weir.rules.text.PolicyText;
import java.util.Optional;

/** What the name of a rule must be like: header fields carry it as it is. */
public final class RuleName {
  /**
   * The prefix of the names of policies that are not rules, so that no rule shares their counts.
   */
  public static final String RESERVED_PREFIX = "weir:";

  public static final int MAX_LENGTH = 100;

  private RuleName() {}

  static Optional<FieldType.Problem> problem(String name) {
    if (name.isBlank()) {
      return FieldType.Problem.of("must not be empty");
    }
    if (name.length() > MAX_LENGTH) {
      return FieldType.Problem.of(
          "must be at most %d characters, not %d".formatted(MAX_LENGTH, name.length()));
    }
    if (!PolicyText.isPrintable(name) || !name.strip().equals(name)) {
      return FieldType.Problem.of("must be printable ASCII, without a space at its ends");
    }
    return name.startsWith(RESERVED_PREFIX)
        ? FieldType.Problem.of("must not begin with " + RESERVED_PREFIX)
        : Optional.empty();
  }
}
