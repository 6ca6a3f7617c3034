package dev.weir.store.tck.rules.internal;

import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.SlidingWindow;
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

  private static List<?> wrongValues(RuleField field, RuleSpec spec, RuleAlgorithm algorithm) {
    return switch (field) {
      case NAME ->
          List.of(
              ABSENT,
              "",
              "  ",
              " a",
              "a ",
              "ü",
              "a\nb",
              RuleName.RESERVED_PREFIX + "bucket",
              "x".repeat(RuleName.MAX_LENGTH + 1));
      case PATH_PATTERN ->
          List.of("a", "/**/x", "/a*", "/a;b", "/" + "x".repeat(PathPattern.MAX_LENGTH));
      case METHODS -> List.of(List.of("get"), List.of("GET", "M-SEARCH"), methods(21));
      case KEY_BY ->
          List.of(
              List.of("cookie"), List.of("ip", "path", "ip"), List.of("header:a b"), headers(9));
      case ALLOWED_REQUESTS ->
          List.of(
              ABSENT,
              whole(0),
              whole(
                  (algorithm == RuleAlgorithm.SLIDING_WINDOW
                          ? SlidingWindow.MAX_LIMIT
                          : FixedWindow.MAX_LIMIT)
                      + 1));
      case WINDOW_SECONDS ->
          List.of(
              ABSENT,
              FieldType.Seconds.of(-1),
              FieldType.Seconds.of(0),
              FieldType.Seconds.of(Limit.MIN_DURATION_MICROS - 1),
              FieldType.Seconds.of(Limit.MAX_DURATION_MICROS + 1));
      case CAPACITY -> List.of(ABSENT, whole(-1), whole(0), whole(TokenBucket.MAX_CAPACITY + 1));
      case REFILL_RATE ->
          List.of(
              ABSENT,
              new RefillRate.Exact(0, 1_000_000),
              new RefillRate.Exact(-5, 1_000_000),
              new RefillRate.Exact(TokenBucket.MAX_CAPACITY + 1, 1_000_000));
      case MAX_CONCURRENT -> List.of(ABSENT, whole(0), whole(Concurrency.MAX_PLACES + 1));
      case LEASE_TTL ->
          List.of(Duration.ZERO, Duration.ofNanos(999_999_000), Duration.ofDays(4_000));
      case MAX_QUEUE_SIZE -> {
        List<BigDecimal> sizes =
            new ArrayList<>(List.of(whole(-1), whole(Quota.QueueSettings.MAX_SIZE + 1)));
        if (spec.quota() instanceof Quota.Rate rate && rate.queueSettings().isEnabled()) {
          sizes.add(whole(0));
        }
        yield sizes;
      }
      case DELAY_PER_REQUEST_MS ->
          List.of(whole(0), whole(Quota.QueueSettings.MAX_DELAY_MILLIS + 1));
      case PRIORITY -> List.of(whole(-RuleSpec.MAX_PRIORITY - 1), whole(RuleSpec.MAX_PRIORITY + 1));
      case ON_STORE_FAILURE ->
          algorithm == RuleAlgorithm.CONCURRENCY ? List.of("local", "fallback") : List.of();
      case ALGORITHM, ALIGNED, QUEUE_ENABLED, MODE, ACTIVE -> List.of();
    };
  }

  private static BigDecimal whole(long value) {
    return BigDecimal.valueOf(value);
  }

  private static List<String> methods(int count) {
    return IntStream.range(0, count).mapToObj(i -> "M" + (char) ('A' + i)).toList();
  }

  private static List<String> headers(int count) {
    return IntStream.range(0, count).mapToObj(i -> "header:X-" + i).toList();
  }
}
