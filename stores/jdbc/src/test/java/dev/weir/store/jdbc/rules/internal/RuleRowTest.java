package dev.weir.store.jdbc.rules.internal;

import dev.weir.rules.spec.InvalidRuleException;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.store.tck.rules.internal.RuleNotationKit;
import java.util.Map;
import java.util.Optional;

final class RuleRowTest extends RuleNotationKit {
  @Override
  protected RuleSpec rewritten(RuleSpec spec) {
    return RuleSpec.read(RuleRow.of(spec.values()));
  }

  @Override
  protected Optional<String> refusal(Map<RuleField, Object> values) {
    try {
      RuleSpec.read(RuleRow.of(values::get));
      return Optional.empty();
    } catch (InvalidRuleException e) {
      return Optional.ofNullable(e.getMessage());
    }
  }
}
