package dev.weir.store.tck.rules.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rules.spec.InvalidRuleException;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.store.tck.internal.RuleSpecs;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * The compatibility kit of notations of rules: JSON, properties, rows. Each loses nothing of any
 * rule, and refuses any invalid value with the message of {@link RuleSpec#read}, so all of them
 * agree.
 */
public abstract class RuleNotationKit {
  private static final int SAMPLES = 500;

  /** Writes a rule in this notation, and reads it. */
  protected abstract RuleSpec rewritten(RuleSpec spec);

  /**
   * Writes values in this notation, and reads them.
   *
   * @return the name of the field and the message with which they are refused; empty if they are
   *     not
   */
  protected abstract Optional<String> refusal(Map<RuleField, Object> values);

  /** Returns false for rules that are refused here for reasons beyond their fields. */
  protected boolean isAllowed(RuleSpec spec) {
    return true;
  }

  @Property(tries = 300)
  final void losesNothingOfARule(@ForAll(supplier = RuleSpecs.class) RuleSpec spec) {
    Assume.that(isAllowed(spec));
    assertThat(rewritten(spec)).isEqualTo(spec);
  }

  /**
   * A field that is forgotten in {@link RuleSpec#values}, or that all generated rules have in
   * common, would be accepted, checked and dropped.
   */
  @Example
  final void everyFieldIsVaried() {
    Map<RuleField, Set<Object>> written = new EnumMap<>(RuleField.class);
    Map<RuleField, Set<Object>> read = new EnumMap<>(RuleField.class);
    for (RuleSpec spec : RuleSpecs.samples(SAMPLES)) {
      if (isAllowed(spec)) {
        RuleSpec rewritten = rewritten(spec);
        for (RuleField field : RuleField.values()) {
          note(written, field, spec);
          note(read, field, rewritten);
        }
      }
    }
    assertThat(read).isEqualTo(written);
    for (RuleField field : RuleField.values()) {
      assertThat(written.getOrDefault(field, Set.of()))
          .as("values of %s in rules of all kinds", field)
          .hasSizeGreaterThan(1);
    }
  }

  private static void note(Map<RuleField, Set<Object>> values, RuleField field, RuleSpec spec) {
    Object value = spec.values().value(field);
    if (value != null) {
      values.computeIfAbsent(field, any -> new HashSet<>()).add(value);
    }
  }

  @Property(tries = 300)
  final void refusesWhatAllNotationsRefuse(
      @ForAll(supplier = WrongRules.class) WrongRules.WrongRule wrong) {
    Assume.that(isAllowed(wrong.before()));
    assertThat(refusal(wrong.values())).contains(expected(wrong));
  }

  private static String expected(WrongRules.WrongRule wrong) {
    try {
      return "nothing is wrong with " + RuleSpec.read(wrong.values()::get);
    } catch (InvalidRuleException e) {
      List<InvalidRuleException.Violation> violations = e.violations();
      assertThat(violations).hasSize(1);
      assertThat(violations.getFirst().field()).isEqualTo(wrong.field());
      return message(violations.getFirst());
    }
  }

  /** Returns the text that {@link #refusal} returns for a violation. */
  private static String message(InvalidRuleException.Violation violation) {
    return violation.field().fieldName() + " " + violation.problem().message();
  }
}
