package dev.weir.store.tck.rules;

import dev.weir.rules.MemoryRules;
import dev.weir.rules.Rules;
import java.time.InstantSource;

final class MemoryRulesTest extends RulesKit {
  private final Rules rules = new MemoryRules(InstantSource.system());

  @Override
  protected Rules register() {
    return rules;
  }
}
