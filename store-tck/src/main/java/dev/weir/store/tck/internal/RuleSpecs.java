package dev.weir.store.tck.internal;

import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.spec.FieldType;
import dev.weir.rules.spec.RefillRate;
import dev.weir.rules.spec.RuleAlgorithm;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleName;
import dev.weir.rules.spec.RuleSpec;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ArbitrarySupplier;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomGenerator;

/**
 * Generates rules of every kind, up to their bounds: values of each field by its type. Only fields
 * whose texts have a form of their own are known here by name.
 */
public final class RuleSpecs implements ArbitrarySupplier<RuleSpec> {
  /** Up to it, any rate of whole thousandths is counted exactly. */
  private static final long MAX_CAPACITY = 1_000_000;

  /** Returns many rules, the same in each run. */
  public static List<RuleSpec> samples(int count) {
    Random random = new Random(1);
    RandomGenerator<RuleSpec> specs = new RuleSpecs().get().generator(count);
    return Stream.generate(() -> specs.next(random).value()).limit(count).toList();
  }

  @Override
  public Arbitrary<RuleSpec> get() {
    return Arbitraries.of(RuleAlgorithm.values())
        .flatMap(RuleSpecs::values)
        .map(values -> RuleSpec.read(values::get));
  }

  /** Generates values of the fields of rules with an algorithm. */
  private static Arbitrary<Map<RuleField, Object>> values(RuleAlgorithm algorithm) {
    List<RuleField> fields =
        Arrays.stream(RuleField.values()).filter(field -> field.appliesTo(algorithm)).toList();
    List<Arbitrary<Optional<Object>>> each =
        fields.stream()
            .map(field -> field == RuleField.ALGORITHM ? only(algorithm) : given(field, algorithm))
            .toList();
    return Combinators.combine(each)
        .as(
            values -> {
              Map<RuleField, Object> given = new EnumMap<>(RuleField.class);
              for (int i = 0; i < fields.size(); i++) {
                RuleField field = fields.get(i);
                values.get(i).ifPresent(value -> given.put(field, value));
              }
              return together(given);
            });
  }

  private static Arbitrary<Optional<Object>> only(RuleAlgorithm algorithm) {
    return Arbitraries.just(Optional.of(algorithm.name()));
  }

  private static Arbitrary<Optional<Object>> given(RuleField field, RuleAlgorithm algorithm) {
    Arbitrary<Object> values = values(field, field.type(algorithm)).asGeneric();
    return field.isRequired() ? values.map(Optional::of) : values.optional();
  }

  /** Changes what is valid only by itself. */
  private static Map<RuleField, Object> together(Map<RuleField, Object> values) {
    BigDecimal places = (BigDecimal) values.getOrDefault(RuleField.MAX_QUEUE_SIZE, BigDecimal.ZERO);
    if (places.signum() == 0) {
      values.remove(RuleField.QUEUE_ENABLED);
    }
    return values;
  }

  private static Arbitrary<?> values(RuleField field, FieldType type) {
    return switch (type) {
      case FieldType.Text text -> texts(field).filter(value -> text.problem(value).isEmpty());
      case FieldType.Choice choice -> Arbitraries.of(choice.choices());
      case FieldType.Texts texts ->
          items(field)
              .list()
              .ofMinSize(texts.min())
              .ofMaxSize(Math.min(texts.max(), 6))
              .uniqueElements();
      case FieldType.Whole whole ->
          Arbitraries.longs()
              .between(whole.min(), field == RuleField.CAPACITY ? MAX_CAPACITY : whole.max())
              .map(BigDecimal::valueOf);
      case FieldType.Seconds seconds ->
          Arbitraries.longs()
              .between(seconds.minMicros(), seconds.maxMicros())
              .map(FieldType.Seconds::of);
      case FieldType.Period period ->
          Arbitraries.longs()
              .between(micros(period.min()), micros(period.max()))
              .map(micros -> Duration.of(micros, ChronoUnit.MICROS));
      case FieldType.Flag flag -> Arbitraries.of(true, false);
      // Rates that can be counted exactly: others are lowered when they are read.
      case FieldType.Rate rate ->
          Arbitraries.longs()
              .between(1, 1_000_000)
              .map(thousandths -> new RefillRate.PerSecond(BigDecimal.valueOf(thousandths, 3)));
    };
  }

  private static Arbitrary<String> texts(RuleField field) {
    return field == RuleField.PATH_PATTERN
        ? Arbitraries.of("/", "/**", "/api/{id}/café/**", "/a b/*/%41", longestPath())
        : Arbitraries.strings().withCharRange(' ', '~').ofMaxLength(RuleName.MAX_LENGTH);
  }

  private static String longestPath() {
    return "/" + "x".repeat(PathPattern.MAX_LENGTH - 1);
  }

  private static Arbitrary<String> items(RuleField field) {
    return field == RuleField.KEY_BY
        ? Arbitraries.of(
            "ip",
            "path",
            "global",
            "header:X-Api-Key",
            "header:x-api-key",
            "header:!#$%&'*+.^_`|~09")
        : Arbitraries.strings().withCharRange('A', 'Z').ofMinLength(1).ofMaxLength(20);
  }

  private static long micros(Duration duration) {
    return duration.dividedBy(Duration.of(1, ChronoUnit.MICROS));
  }
}
