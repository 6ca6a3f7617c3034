package dev.weir.engine.rules;

import dev.weir.engine.register.Register;

/** The register of rules. The title of a rule is its name. */
public interface Rules extends Register<Rule.Terms, Rule> {
  /** The maximum number of rules. */
  int MAX_RULES = 10_000;

  @Override
  default int maxEntries() {
    return MAX_RULES;
  }

  @Override
  default String title(Rule.Terms terms) {
    return terms.name();
  }
}
