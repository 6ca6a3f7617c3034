package dev.weir.store.tck.rules.internal;

import dev.weir.limits.TokenBucket;
import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.spec.FieldType;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RefillRate;
import dev.weir.rules.spec.RuleAlgorithm;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleName;
import dev.weir.rules.spec.RuleSource;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.store.tck.internal.RuleSpecs;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;

/**
 * Generates rules with one invalid field. Every notation can express their values: a property that
 * is an enum cannot be misspelt, and a column has whole microseconds.
 */
public final class WrongRules implements ArbitrarySupplier<WrongRules.WrongRule> {
  /** Stands for the absence of a required field. */
  private static final Object ABSENT = new Object();

  /**
   * A rule with an invalid field.
   *
   * @param before the rule without it
   * @param field the invalid field
   * @param values the values of all fields
   */
  public record WrongRule(RuleSpec before, RuleField field, Map<RuleField, Object> values) {}

  @Override
  public Arbitrary<WrongRule> get() {
    return new RuleSpecs().get().flatMap(spec -> Arbitraries.of(wrong(spec)));
  }

  private static List<WrongRule> wrong(RuleSpec spec) {
    RuleSource values = spec.values();
    RuleAlgorithm algorithm =
        RuleAlgorithm.valueOf(String.valueOf(values.value(RuleField.ALGORITHM)));
    List<WrongRule> wrong = new ArrayList<>();
    for (RuleField field : RuleField.values()) {
      if (field.appliesTo(algorithm)) {
        for (Object value : wrongValues(field, spec, algorithm)) {
          wrong.add(new WrongRule(spec, field, with(values, field, value)));
        }
      }
    }
    return wrong;
  }

  private static Map<RuleField, Object> with(RuleSource values, RuleField wrong, Object value) {
    Map<RuleField, Object> changed = new EnumMap<>(RuleField.class);
    for (RuleField field : RuleField.values()) {
      Object valid = values.value(field);
      if (valid != null) {
        changed.put(field, valid);
      }
    }
    if (value.equals(ABSENT)) {
      changed.remove(wrong);
    } else {
      changed.put(wrong, value);
    }
    return changed;
  }

  /** Values that are wrong for a field by its type, and what is wrong with texts by their form. */
  private static List<Object> wrongValues(RuleField field, RuleSpec spec, RuleAlgorithm algorithm) {
    FieldType type = field.type(algorithm);
    List<Object> wrong =
        new ArrayList<>(
            candidates(field, type).stream()
                .filter(value -> type.problem(value).isPresent())
                .toList());
    if (field.isRequired()) {
      wrong.add(ABSENT);
    }
    if (field == RuleField.MAX_QUEUE_SIZE
        && spec.quota() instanceof Quota.Rate rate
        && rate.queueSettings().isEnabled()) {
      wrong.add(BigDecimal.ZERO);
    }
    return wrong;
  }

  private static List<?> candidates(RuleField field, FieldType type) {
    return switch (type) {
      case FieldType.Text text ->
          List.of(
              "",
              "  ",
              " a",
              "a ",
              "ü",
              "a\nb",
              RuleName.RESERVED_PREFIX + "bucket",
              "/**/x",
              "/a*",
              "/a;b",
              "/" + "x".repeat(PathPattern.MAX_LENGTH));
      // An enum of another notation has all choices, of which some algorithms take fewer.
      case FieldType.Choice choice -> ((FieldType.Choice) field.type()).choices();
      case FieldType.Texts texts ->
          List.of(
              List.of("get"),
              List.of("GET", "M-SEARCH"),
              List.of("ip", "path", "ip"),
              List.of("header:a b"),
              items(texts.max() + 1));
      case FieldType.Whole whole -> List.of(whole(whole.min() - 1), whole(whole.max() + 1));
      case FieldType.Seconds seconds ->
          List.of(
              FieldType.Seconds.of(-1),
              FieldType.Seconds.of(0),
              FieldType.Seconds.of(seconds.minMicros() - 1),
              FieldType.Seconds.of(seconds.maxMicros() + 1));
      case FieldType.Period period ->
          List.of(Duration.ZERO, period.min().minusNanos(1_000), period.max().plusNanos(1_000));
      case FieldType.Flag flag -> List.of();
      case FieldType.Rate rate ->
          List.of(
              new RefillRate.Exact(0, 1_000_000),
              new RefillRate.Exact(-5, 1_000_000),
              new RefillRate.Exact(TokenBucket.MAX_CAPACITY + 1, 1_000_000));
    };
  }

  private static BigDecimal whole(long value) {
    return BigDecimal.valueOf(value);
  }

  private static List<String> items(int count) {
    return IntStream.range(0, count).mapToObj(i -> "M" + (char) ('A' + i)).toList();
  }
}
