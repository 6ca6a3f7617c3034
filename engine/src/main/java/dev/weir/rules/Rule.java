package dev.weir.rules;

import dev.weir.register.Entry;
import java.time.Instant;

/** A version of a rule. */
public record Rule(long id, int version, RuleSpec spec, Instant createdAt, Instant updatedAt)
    implements Entry<RuleSpec> {
  public String name() {
    return spec.name();
  }

  /** What happens with the decisions of a rule. */
  public enum Mode {
    /** They are enforced. */
    ENFORCE,
    /** They are counted, and nothing is refused. */
    SHADOW
  }
}
