package dev.weir.spring.autoconfigure;

import dev.weir.limits.OnStoreFailure;
import dev.weir.rules.spec.InvalidRuleException;
import dev.weir.rules.spec.RefillRate;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleSource;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.spring.RateLimited;
import dev.weir.spring.RuleProperties;
import dev.weir.spring.internal.methods.LimitedMethods;
import java.math.BigDecimal;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Reads a rule from the properties, together with its position, so that errors name the property.
 */
final class RuleReader implements RuleSource {
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
      RuleSpec spec = RuleSpec.read(this);
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
    Object value = value(field);
    return new InvalidConfigurationPropertyValueException(
        place + "." + property(field), value == null ? "(none)" : value, "It " + problem + ".");
  }

  /** Returns the name of a property: {@code key-by} for {@code keyBy}. */
  static String property(RuleField field) {
    return field.fieldName().replaceAll("(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }

  @Override
  public @Nullable Object value(RuleField field) {
    return switch (field) {
      case NAME -> rule.name();
      case PATH_PATTERN -> rule.pathPattern();
      case METHODS -> rule.methods();
      case KEY_BY -> rule.keyBy();
      case ALGORITHM -> rule.algorithm() == null ? null : rule.algorithm().name();
      case ALLOWED_REQUESTS -> number(rule.allowedRequests());
      case WINDOW_SECONDS -> rule.windowSeconds();
      case ALIGNED -> rule.aligned();
      case CAPACITY -> number(rule.capacity());
      case REFILL_RATE ->
          rule.refillRate() == null ? null : new RefillRate.PerSecond(rule.refillRate());
      case MAX_CONCURRENT -> number(rule.maxConcurrent());
      case LEASE_TTL -> rule.leaseTtl();
      case QUEUE_ENABLED -> rule.queueEnabled();
      case MAX_QUEUE_SIZE -> number(rule.maxQueueSize());
      case DELAY_PER_REQUEST_MS -> number(rule.delayPerRequestMs());
      case PRIORITY -> number(rule.priority());
      case MODE -> lower(rule.mode());
      case ACTIVE -> rule.active();
      case ON_STORE_FAILURE -> lower(rule.onStoreFailure());
    };
  }

  private static @Nullable BigDecimal number(@Nullable Long value) {
    return value == null ? null : BigDecimal.valueOf(value);
  }

  private static @Nullable String lower(@Nullable Enum<?> constant) {
    return constant == null ? null : constant.name().toLowerCase(Locale.ROOT);
  }
}
