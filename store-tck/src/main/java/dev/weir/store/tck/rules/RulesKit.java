package dev.weir.store.tck.rules;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.rules.Rule;
import dev.weir.rules.Rules;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.store.tck.internal.RuleSpecs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.sessions.JqwikSession;

/** The compatibility kit of stores of rules. */
public abstract class RulesKit extends RegisterKit<RuleSpec, Rule> {
  private static final int SAMPLES = 40;

  private static final Limit LIMIT = FixedWindow.of(100, Duration.ofMinutes(1));

  @Override
  protected abstract Rules register();

  @Override
  protected final RuleSpec titled(String title) {
    return RuleSpec.of("r" + title, Quota.Rate.of(LIMIT));
  }

  @Override
  protected final List<RuleSpec> variety() {
    List<RuleSpec> variety = new ArrayList<>();
    // What generates needs a session, which a test of JUnit has not by itself.
    JqwikSession.run(
        () -> RuleSpecs.samples(SAMPLES).forEach(spec -> variety.add(withUnusedName(spec))));
    return variety;
  }

  private static RuleSpec withUnusedName(RuleSpec spec) {
    String name = "r-" + UUID.randomUUID();
    return RuleSpec.read(field -> field == RuleField.NAME ? name : spec.values().value(field));
  }
}
