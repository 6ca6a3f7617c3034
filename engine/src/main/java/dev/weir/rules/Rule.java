package dev.weir.rules;

import dev.weir.register.Entry;
import dev.weir.rules.spec.RuleSpec;
import java.time.Instant;

/** A version of a rule. */
public record Rule(long id, int version, RuleSpec spec, Instant createdAt, Instant updatedAt)
    implements Entry<RuleSpec> {
  public String name() {
    return spec.name();
  }
}
