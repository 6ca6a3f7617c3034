package dev.weir.rules.spec;

import dev.weir.internal.Micros;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The type of the values of a {@link RuleField}, with its bounds. */
public sealed interface FieldType {
  /**
   * Returns what is wrong with a value; empty if it is valid.
   *
   * @throws ClassCastException if the value is not of the class that the type documents
   */
  Optional<Problem> problem(Object value);

  /** Returns a valid value in the form that all equal ones have. */
  default Object inOneForm(Object value) {
    return value;
  }

  /**
   * What is wrong with a value.
   *
   * @param requirement what the value must be
   * @param given the value, or empty if the requirement says enough
   */
  record Problem(String requirement, String given) {
    static Optional<Problem> of(String requirement) {
      return Optional.of(new Problem(requirement, ""));
    }

    static Optional<Problem> of(String requirement, Object given) {
      return Optional.of(new Problem(requirement, given.toString()));
    }

    public String message() {
      return message(given -> given);
    }

    /**
     * Returns the message with an excerpt of the given value, which may be long or unprintable.
     *
     * @param excerpt shortens a value
     */
    public String message(UnaryOperator<String> excerpt) {
      return given.isEmpty() ? requirement : requirement + ", not " + excerpt.apply(given);
    }
  }

  /** A {@link String}. */
  record Text(Function<String, Optional<Problem>> check) implements FieldType {
    @Override
    public Optional<Problem> problem(Object value) {
      return check.apply((String) value);
    }
  }

  /** A {@link String} out of several. */
  record Choice(List<String> choices) implements FieldType {
    static Choice inLowerCase(Enum<?>... constants) {
      return new Choice(Arrays.stream(constants).map(Choice::lower).toList());
    }

    static Choice inUpperCase(Enum<?>... constants) {
      return new Choice(Arrays.stream(constants).map(Enum::name).toList());
    }

    static String lower(Enum<?> constant) {
      return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the constant of a choice. */
    static <E extends Enum<E>> E constant(Class<E> type, Object choice) {
      return Enum.valueOf(type, ((String) choice).toUpperCase(Locale.ROOT));
    }

    @Override
    public Optional<Problem> problem(Object value) {
      return choices.contains((String) value)
          ? Optional.empty()
          : Problem.of("must be one of " + choices, value);
    }
  }

  /** A {@link List} of {@code min} to {@code max} strings. */
  record Texts(int min, int max, Function<List<String>, Optional<Problem>> check)
      implements FieldType {
    @Override
    public Optional<Problem> problem(Object value) {
      List<String> items = ((List<?>) value).stream().map(String.class::cast).toList();
      return items.size() < min || items.size() > max
          ? Problem.of("must have %d to %d items, not %d".formatted(min, max, items.size()))
          : check.apply(items);
    }
  }

  /** A {@link BigDecimal} that is a whole number from {@code min} to {@code max}. */
  record Whole(long min, long max) implements FieldType {
    @Override
    public Optional<Problem> problem(Object value) {
      BigDecimal number = (BigDecimal) value;
      return isWhole(number) && number.longValue() >= min && number.longValue() <= max
          ? Optional.empty()
          : Problem.of("must be a whole number from %d to %d".formatted(min, max), number);
    }

    @Override
    public Object inOneForm(Object value) {
      return BigDecimal.valueOf(((BigDecimal) value).longValueExact());
    }

    private static boolean isWhole(BigDecimal number) {
      try {
        number.longValueExact();
        return true;
      } catch (ArithmeticException e) {
        return false;
      }
    }
  }

  /** A {@link BigDecimal} of seconds, in whole microseconds. */
  record Seconds(long minMicros, long maxMicros) implements FieldType {
    private static final int MICROS_SCALE = 6;

    @Override
    public Optional<Problem> problem(Object value) {
      BigDecimal seconds = (BigDecimal) value;
      BigDecimal min = of(minMicros);
      BigDecimal max = of(maxMicros);
      // Compare first: a number with a huge exponent must not be expanded.
      if (seconds.compareTo(min) < 0 || seconds.compareTo(max) > 0) {
        return Problem.of(
            "must be from %s to %s".formatted(min.toPlainString(), max.toPlainString()), seconds);
      }
      return seconds.stripTrailingZeros().scale() > MICROS_SCALE
          ? Problem.of("must be whole microseconds")
          : Optional.empty();
    }

    @Override
    public Object inOneForm(Object value) {
      return ((BigDecimal) value).stripTrailingZeros();
    }

    /** Returns microseconds as seconds. */
    public static BigDecimal of(long micros) {
      return BigDecimal.valueOf(micros, MICROS_SCALE).stripTrailingZeros();
    }

    /** Returns seconds as microseconds. */
    public static long micros(BigDecimal seconds) {
      return seconds.movePointRight(MICROS_SCALE).longValueExact();
    }
  }

  /** A {@link Duration} of whole microseconds. */
  record Period(Duration min, Duration max) implements FieldType {
    @Override
    public Optional<Problem> problem(Object value) {
      Duration duration = (Duration) value;
      return duration.compareTo(min) < 0
              || duration.compareTo(max) > 0
              || !Micros.duration(Micros.floor(duration)).equals(duration)
          ? Problem.of("must be whole microseconds from %s to %s".formatted(min, max), duration)
          : Optional.empty();
    }
  }

  /** A {@link Boolean}. */
  record Flag() implements FieldType {
    @Override
    public Optional<Problem> problem(Object value) {
      return Optional.empty();
    }
  }

  /** A {@link RefillRate}. */
  record Rate() implements FieldType {
    @Override
    public Optional<Problem> problem(Object value) {
      return problem((RefillRate) value, 1);
    }

    /** Returns what is wrong with a rate for a capacity; empty if a bucket can count it. */
    static Optional<Problem> problem(RefillRate rate, long capacity) {
      try {
        rate.bucket(capacity);
        return Optional.empty();
      } catch (IllegalArgumentException e) {
        return Problem.of(RefillRate.REQUIREMENT, rate);
      }
    }
  }
}
