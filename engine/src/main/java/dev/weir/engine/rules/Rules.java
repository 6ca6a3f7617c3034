package dev.weir.engine.rules;

import dev.weir.engine.register.Register;

/** The port to where rules are kept. A rule's title is its name. */
public interface Rules extends Register<Rule.Terms, Rule> {
  /** So many rules, at most, are kept. */
  int MOST = 10_000;

  @Override
  default int maxEntries() {
    return MOST;
  }

  @Override
  default String title(Rule.Terms terms) {
    return terms.name();
  }
}
