package dev.weir.rules;

import dev.weir.register.Register;
import dev.weir.rules.spec.RuleSpec;

/** The register of rules. The title of a rule is its name. */
public interface Rules extends Register<RuleSpec, Rule> {
  /** The maximum number of rules. */
  int MAX_RULES = 10_000;

  @Override
  default int maxEntries() {
    return MAX_RULES;
  }

  @Override
  default String title(RuleSpec spec) {
    return spec.name();
  }
}
