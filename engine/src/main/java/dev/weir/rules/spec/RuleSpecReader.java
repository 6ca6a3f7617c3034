package dev.weir.rules.spec;

import static dev.weir.rules.spec.RuleField.ALGORITHM;
import static dev.weir.rules.spec.RuleField.ALIGNED;
import static dev.weir.rules.spec.RuleField.ALLOWED_REQUESTS;
import static dev.weir.rules.spec.RuleField.CAPACITY;
import static dev.weir.rules.spec.RuleField.DELAY_PER_REQUEST_MS;
import static dev.weir.rules.spec.RuleField.KEY_BY;
import static dev.weir.rules.spec.RuleField.LEASE_TTL;
import static dev.weir.rules.spec.RuleField.MAX_CONCURRENT;
import static dev.weir.rules.spec.RuleField.MAX_QUEUE_SIZE;
import static dev.weir.rules.spec.RuleField.METHODS;
import static dev.weir.rules.spec.RuleField.PATH_PATTERN;
import static dev.weir.rules.spec.RuleField.QUEUE_ENABLED;
import static dev.weir.rules.spec.RuleField.REFILL_RATE;
import static dev.weir.rules.spec.RuleField.WINDOW_SECONDS;

import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.SlidingWindow;
import dev.weir.rules.matching.KeyPart;
import dev.weir.rules.matching.PathPattern;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a spec: first checks all fields, then builds it from values that are known to be valid. */
final class RuleSpecReader {
  private final Map<RuleField, Object> values = new EnumMap<>(RuleField.class);
  private final List<InvalidRuleException.Violation> violations = new ArrayList<>();

  /** The fields that are invalid or unreadable. */
  private final Set<RuleField> wrong = EnumSet.noneOf(RuleField.class);

  /** The algorithm; null if it is invalid, so that it is not known which fields apply. */
  private final @Nullable RuleAlgorithm algorithm;

  private RuleSpecReader(RuleSource source) {
    for (RuleField field : RuleField.values()) {
      Object value = source.value(field);
      if (value != null) {
        values.put(field, value);
      } else if (source.isUnreadable(field)) {
        wrong.add(field);
      }
    }
    algorithm =
        wrong.contains(ALGORITHM) || ALGORITHM.type().problem(value(ALGORITHM)).isPresent()
            ? null
            : FieldType.Choice.constant(RuleAlgorithm.class, value(ALGORITHM));
  }

  static RuleSpec read(RuleSource source) {
    return new RuleSpecReader(source).read();
  }

  private RuleSpec read() {
    for (RuleField field : RuleField.values()) {
      if (!wrong.contains(field)) {
        problem(field).ifPresent(problem -> wrong(field, problem));
      }
    }
    checkTogether();
    if (!wrong.isEmpty() || algorithm == null) {
      throw new InvalidRuleException(violations);
    }
    return new RuleSpec(values, coverage(), quota(algorithm));
  }

  private Optional<FieldType.Problem> problem(RuleField field) {
    Object value = values.get(field);
    if (algorithm == null) {
      return value == null ? missing(field.isCommon(), field) : field.type().problem(value);
    }
    if (value == null) {
      return missing(field.appliesTo(algorithm), field);
    }
    return field.appliesTo(algorithm)
        ? field.type(algorithm).problem(value)
        : FieldType.Problem.of("does not apply to " + algorithm);
  }

  private static Optional<FieldType.Problem> missing(boolean applies, RuleField field) {
    return applies && field.isRequired() ? FieldType.Problem.of("is missing") : Optional.empty();
  }

  /** Checks the fields that depend on each other, if they are valid one by one. */
  private void checkTogether() {
    if (isValid(QUEUE_ENABLED, MAX_QUEUE_SIZE)
        && flag(QUEUE_ENABLED)
        && whole(MAX_QUEUE_SIZE) == 0) {
      wrong(
          MAX_QUEUE_SIZE,
          new FieldType.Problem("must be at least 1 where queueEnabled is true", ""));
    }
    if (algorithm == RuleAlgorithm.TOKEN_BUCKET && isValid(CAPACITY, REFILL_RATE)) {
      FieldType.Rate.problem(rate(), whole(CAPACITY))
          .ifPresent(problem -> wrong(REFILL_RATE, problem));
    }
  }

  private boolean isValid(RuleField one, RuleField other) {
    return !wrong.contains(one) && !wrong.contains(other);
  }

  private void wrong(RuleField field, FieldType.Problem problem) {
    wrong.add(field);
    violations.add(new InvalidRuleException.Violation(field, problem));
  }

  private Coverage coverage() {
    return new Coverage(
        Optional.ofNullable(values.get(PATH_PATTERN)).map(path -> PathPattern.of((String) path)),
        Set.copyOf(texts(METHODS)),
        texts(KEY_BY).stream().map(KeyPart::of).toList());
  }

  private Quota quota(RuleAlgorithm known) {
    return switch (known) {
      case FIXED_WINDOW ->
          rate(
              new FixedWindow(
                  whole(ALLOWED_REQUESTS),
                  windowMicros(),
                  flag(ALIGNED) ? FixedWindow.Start.EPOCH : FixedWindow.Start.FIRST_USE));
      case SLIDING_WINDOW -> rate(new SlidingWindow(whole(ALLOWED_REQUESTS), windowMicros()));
      case TOKEN_BUCKET -> rate(rate().bucket(whole(CAPACITY)));
      case CONCURRENCY ->
          new Quota.Concurrent(
              Concurrency.of(Math.toIntExact(whole(MAX_CONCURRENT)), (Duration) value(LEASE_TTL)));
    };
  }

  private Quota rate(Limit limit) {
    return new Quota.Rate(
        limit,
        new Quota.QueueSettings(
            flag(QUEUE_ENABLED),
            Math.toIntExact(whole(MAX_QUEUE_SIZE)),
            whole(DELAY_PER_REQUEST_MS)));
  }

  private RefillRate rate() {
    return (RefillRate) value(REFILL_RATE);
  }

  private long windowMicros() {
    return FieldType.Seconds.micros((BigDecimal) value(WINDOW_SECONDS));
  }

  private List<String> texts(RuleField field) {
    return ((List<?>) value(field)).stream().map(String.class::cast).toList();
  }

  private boolean flag(RuleField field) {
    return (boolean) value(field);
  }

  private long whole(RuleField field) {
    return ((BigDecimal) value(field)).longValueExact();
  }

  /** Returns the value of a field that is present or has a default. */
  private Object value(RuleField field) {
    Object given = values.get(field);
    Object value = given != null ? given : field.defaultValue();
    if (value == null) {
      throw new IllegalStateException(field + " has neither a value nor a default");
    }
    return value;
  }
}
