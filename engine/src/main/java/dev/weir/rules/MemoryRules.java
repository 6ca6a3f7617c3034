package dev.weir.rules;

import dev.weir.register.MemoryRegister;
import dev.weir.rules.spec.RuleSpec;
import java.time.InstantSource;

/** An in-memory register of rules. */
public final class MemoryRules extends MemoryRegister<RuleSpec, Rule> implements Rules {
  public MemoryRules(InstantSource clock) {
    super(clock, Rule::new);
  }
}
