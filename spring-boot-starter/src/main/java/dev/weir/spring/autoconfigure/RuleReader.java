package dev.weir.spring.autoconfigure;

import dev.weir.limits.OnStoreFailure;
import dev.weir.rules.spec.InvalidRuleException;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.spring.RateLimited;
import dev.weir.spring.RuleProperties;
import dev.weir.spring.internal.methods.LimitedMethods;
import java.util.Locale;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Reads a rule from the properties, together with its position, so that errors name the property.
 */
final class RuleReader {
  private final String place;
  private final RuleProperties rule;

  private RuleReader(String place, RuleProperties rule) {
    this.place = place;
    this.rule = rule;
  }

  /**
   * Reads a rule. One without a path is for methods with {@link RateLimited}; {@link
   * LimitedMethods} checks that.
   *
   * @param place its position, such as {@code weir.rules[0]}
   * @throws InvalidConfigurationPropertyValueException naming the property that is wrong
   */
  static RuleSpec read(String place, RuleProperties rule) {
    return new RuleReader(place, rule).read();
  }

  private RuleSpec read() {
    try {
      RuleSpec spec = RuleSpec.read(rule);
      refuseWhatHasNoEffectHere(spec);
      return spec;
    } catch (InvalidRuleException e) {
      InvalidRuleException.Violation first = e.violations().getFirst();
      throw wrong(first.field(), first.problem().message());
    }
  }

  private void refuseWhatHasNoEffectHere(RuleSpec spec) {
    if (spec.coverage().path().isEmpty() && !spec.coverage().methods().isEmpty()) {
      throw wrong(RuleField.METHODS, "has no effect without path-pattern");
    }
    if (spec.onStoreFailure() == OnStoreFailure.FALLBACK) {
      throw wrong(RuleField.ON_STORE_FAILURE, "has no effect: there is no second store here");
    }
  }

  private InvalidConfigurationPropertyValueException wrong(RuleField field, String problem) {
    Object value = rule.value(field);
    return new InvalidConfigurationPropertyValueException(
        place + "." + property(field), value == null ? "(none)" : value, "It " + problem + ".");
  }

  /** Returns the name of a property: {@code key-by} for {@code keyBy}. */
  static String property(RuleField field) {
    return field.fieldName().replaceAll("(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }
}
