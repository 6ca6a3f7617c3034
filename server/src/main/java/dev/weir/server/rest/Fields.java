package dev.weir.server.rest;

import dev.weir.core.slots.Micros;
import dev.weir.core.slots.Violation;
import dev.weir.engine.slots.SlotNames;
import io.micronaut.http.HttpParameters;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The fields of a JSON object, read one by one. What is wrong is collected, so that the answer
 * names every wrong field at once. A field that is {@code null} counts as absent.
 */
final class Fields {
  private static final int MOST_OTHERS = 20;

  private final Map<?, ?> object;
  private final String path;
  private final List<Violation> violations;
  private final Set<String> asked = new HashSet<>();

  private Fields(Map<?, ?> object, String path, List<Violation> violations) {
    this.object = object;
    this.path = path;
    this.violations = violations;
  }

  /** The fields of a document. */
  static Fields of(Object document) {
    if (document instanceof Map<?, ?> object) {
      return new Fields(object, "", new ArrayList<>());
    }
    throw new ProblemException(
        Problem.of(
            400, "invalid-request", "The JSON must be an object, such as {\"eventId\": …}."));
  }

  /** The parameters of a query; one that is given twice is wrong. */
  static Fields of(HttpParameters query) {
    Map<String, Object> object = new LinkedHashMap<>();
    query.forEach((name, values) -> values.forEach(value -> object.put(name, value)));
    Fields fields = new Fields(object, "", new ArrayList<>());
    query.forEach(
        (name, values) -> {
          if (values.size() > 1) {
            fields.wrong(Excerpt.of(name), "stands there twice");
          }
        });
    return fields;
  }

  boolean has(String name) {
    return object.containsKey(name) && !Json.NULL.equals(object.get(name));
  }

  Optional<String> text(String name) {
    return value(name, String.class, "text");
  }

  /** The name of a configuration, {@code absent} if there is none. */
  String configName(String name, String absent) {
    String given = text(name).orElse(absent);
    SlotNames.configNameProblem(given).ifPresent(problem -> wrong(name, problem));
    return given;
  }

  Optional<Fields> object(String name) {
    return value(name, Map.class, "an object")
        .map(inner -> new Fields(inner, path + name + ".", violations));
  }

  Optional<List<?>> list(String name) {
    return value(name, List.class, "a list").map(list -> (List<?>) list);
  }

  Optional<Integer> integer(String name) {
    return value(name, BigDecimal.class, "a whole number")
        .flatMap(
            number -> parsed(name, number, "must be a whole number", BigDecimal::intValueExact));
  }

  /** A whole number in a query, from 1 to {@code most}. */
  Optional<Long> count(String name, long most) {
    return text(name)
        .flatMap(
            text -> {
              String rule = "must be a whole number from 1 to " + most;
              try {
                long count = Long.parseLong(text);
                if (count >= 1 && count <= most) {
                  return Optional.of(count);
                }
                wrong(name, rule + ", not " + count);
              } catch (NumberFormatException e) {
                wrong(name, rule + ", not " + Excerpt.of(text));
              }
              return Optional.empty();
            });
  }

  Optional<BigDecimal> number(String name) {
    return value(name, BigDecimal.class, "a number");
  }

  Optional<Instant> time(String name) {
    return text(name)
        .flatMap(
            text ->
                parsed(name, text, "must be a time such as 2026-06-01T12:00:00Z", TimeText::parse))
        .filter(
            time -> {
              boolean possible = Micros.inRange(time);
              if (!possible) {
                wrong(name, "must be a time from year 1 to year 9999");
              }
              return possible;
            });
  }

  Optional<Duration> duration(String name) {
    return text(name)
        .flatMap(text -> parsed(name, text, "must be a duration such as PT4S", Duration::parse));
  }

  /** One of the constants of an enum, written in lower case. */
  <E extends Enum<E>> Optional<E> choice(String name, E[] constants) {
    return text(name)
        .flatMap(
            text -> {
              for (E constant : constants) {
                if (lower(constant).equals(text)) {
                  return Optional.of(constant);
                }
              }
              List<String> choices = List.of(constants).stream().map(Fields::lower).toList();
              wrong(name, "must be one of %s, not \"%s\"".formatted(choices, Excerpt.of(text)));
              return Optional.empty();
            });
  }

  /** Says that a field is wrong. */
  void wrong(String name, String message) {
    violations.add(new Violation(path + name, message));
  }

  /** Whether something was said of this field. */
  boolean isWrong(String name) {
    return violations.stream().anyMatch(violation -> violation.field().equals(path + name));
  }

  /** Whether something was said of any field of this object. */
  boolean isWrong() {
    return violations.stream().anyMatch(violation -> violation.field().startsWith(path));
  }

  /** A field that nobody asked for is wrong: it may be a misspelt one. The first few are named. */
  void refuseOthers() {
    object.keySet().stream()
        .map(String.class::cast)
        .filter(name -> !asked.contains(name))
        .limit(MOST_OTHERS)
        .forEach(name -> wrong(Excerpt.of(name), "is not known here"));
  }

  void throwIfWrong() {
    if (!violations.isEmpty()) {
      throw new ProblemException(Problem.invalid(violations));
    }
  }

  static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private <T> Optional<T> value(String name, Class<T> type, String what) {
    asked.add(name);
    Object value = object.get(name);
    if (value == null || value.equals(Json.NULL)) {
      return Optional.empty();
    }
    if (!type.isInstance(value)) {
      wrong(name, "must be " + what);
      return Optional.empty();
    }
    return Optional.of(type.cast(value));
  }

  private <T, R> Optional<R> parsed(String name, T value, String rule, Function<T, R> parser) {
    try {
      return Optional.of(parser.apply(value));
    } catch (DateTimeException | ArithmeticException e) {
      wrong(name, rule + ", not " + Excerpt.of(value.toString()));
      return Optional.empty();
    }
  }
}
