package dev.weir.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.internal.Micros;
import dev.weir.internal.SlotNames;
import dev.weir.slots.Violation;
import io.micronaut.http.HttpParameters;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The fields of a JSON object, read one by one. Violations are collected, so that one response
 * names every invalid field. A field that is {@code null} counts as absent.
 */
public final class Fields {
  private static final int MAX_OTHERS = 20;

  private final Map<?, ?> object;
  private final String path;
  private final List<Violation> violations;
  private final Set<String> known = new LinkedHashSet<>();

  private Fields(Map<?, ?> object, String path, List<Violation> violations) {
    this.object = object;
    this.path = path;
    this.violations = violations;
  }

  /** Returns the fields of a document. */
  public static Fields of(Object document) {
    if (document instanceof Map<?, ?> object) {
      return new Fields(object, "", new ArrayList<>());
    }
    throw new ProblemException(
        Problem.of(400, "invalid-request", "The JSON must be an object, such as {…}."));
  }

  /** Returns the parameters of a query. A parameter that occurs twice is invalid. */
  public static Fields of(HttpParameters query) {
    Map<String, Object> object = new LinkedHashMap<>();
    query.forEach((name, values) -> values.forEach(value -> object.put(name, value)));
    Fields fields = new Fields(object, "", new ArrayList<>());
    query.forEach(
        (name, values) -> {
          if (values.size() > 1) {
            fields.wrong(Snippet.of(name), "occurs twice");
          }
        });
    return fields;
  }

  public boolean has(String name) {
    return object.containsKey(name) && !Json.NULL.equals(object.get(name));
  }

  public Optional<String> text(String name) {
    return value(name, String.class, "text");
  }

  /** Returns the name of a configuration, or {@code absent} if the field is absent. */
  public String configName(String name, String absent) {
    String given = text(name).orElse(absent);
    SlotNames.configNameProblem(given).ifPresent(problem -> wrong(name, problem));
    return given;
  }

  public Optional<Fields> object(String name) {
    return value(name, Map.class, "an object")
        .map(inner -> new Fields(inner, path + name + ".", violations));
  }

  public Optional<List<?>> list(String name) {
    return value(name, List.class, "a list").map(list -> (List<?>) list);
  }

  public boolean isText(String name) {
    return object.get(name) instanceof String;
  }

  /** Returns the strings of a list; empty if an item is not text. */
  public Optional<List<String>> texts(String name) {
    return list(name).flatMap(items -> texts(name, items));
  }

  private Optional<List<String>> texts(String name, List<?> items) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      if (items.get(i) instanceof String text) {
        texts.add(text);
      } else {
        wrong("%s[%d]".formatted(name, i), "must be text");
      }
    }
    return texts.size() == items.size() ? Optional.of(texts) : Optional.empty();
  }

  /** Returns the names of all fields of the object. All of them count as known from then on. */
  public List<String> names() {
    List<String> names = object.keySet().stream().map(String.class::cast).toList();
    known.addAll(names);
    return names;
  }

  /**
   * Returns the objects of a list of {@code min} to {@code max} items. Any other item is invalid.
   */
  public Optional<List<Fields>> objects(String name, int min, int max) {
    return list(name)
        .map(
            items -> {
              List<Fields> objects = new ArrayList<>();
              if (items.size() < min || items.size() > max) {
                wrong(name, "must have %d to %d items, not %d".formatted(min, max, items.size()));
                return objects;
              }
              for (int i = 0; i < items.size(); i++) {
                String item = "%s[%d]".formatted(name, i);
                if (items.get(i) instanceof Map<?, ?> object) {
                  objects.add(new Fields(object, path + item + ".", violations));
                } else {
                  wrong(item, "must be an object");
                }
              }
              return objects;
            });
  }

  public Optional<Boolean> flag(String name) {
    return value(name, Boolean.class, "true or false");
  }

  /** Returns an integer from {@code min} to {@code max}. */
  public Optional<Long> whole(String name, long min, long max) {
    return value(name, BigDecimal.class, "a whole number")
        .flatMap(
            number -> {
              String rule = "must be a whole number from %d to %d".formatted(min, max);
              Optional<Long> whole = parsed(name, number, rule, BigDecimal::longValueExact);
              if (whole.isPresent() && (whole.get() < min || whole.get() > max)) {
                wrong(name, rule + ", not " + whole.get());
                return Optional.empty();
              }
              return whole;
            });
  }

  /** Returns the value, and records a violation if it is absent. */
  public <T> Optional<T> required(String name, Optional<T> value) {
    if (value.isEmpty() && !isWrong(name)) {
      wrong(name, "is missing");
    }
    return value;
  }

  public Optional<Integer> integer(String name) {
    return value(name, BigDecimal.class, "a whole number")
        .flatMap(
            number -> parsed(name, number, "must be a whole number", BigDecimal::intValueExact));
  }

  /** Returns an integer of a query, from 1 to {@code max}. */
  public Optional<Long> count(String name, long max) {
    return integer(name, 1, max);
  }

  /** Returns an integer of a query, from {@code min} to {@code max}. */
  public Optional<Long> integer(String name, long min, long max) {
    return text(name)
        .flatMap(
            text -> {
              String rule = "must be a whole number from %d to %d".formatted(min, max);
              try {
                long number = Long.parseLong(text);
                if (number >= min && number <= max) {
                  return Optional.of(number);
                }
                wrong(name, rule + ", not " + number);
              } catch (NumberFormatException e) {
                wrong(name, rule + ", not " + Snippet.of(text));
              }
              return Optional.empty();
            });
  }

  /** Returns a number that should be whole, which is not checked. */
  public Optional<BigDecimal> wholeNumber(String name) {
    return value(name, BigDecimal.class, "a whole number");
  }

  public Optional<BigDecimal> number(String name) {
    return value(name, BigDecimal.class, "a number");
  }

  public Optional<Instant> time(String name) {
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

  public Optional<Duration> duration(String name) {
    return text(name)
        .flatMap(text -> parsed(name, text, "must be a duration such as PT4S", Duration::parse));
  }

  /** Returns a constant of an enum, spelled in lower case. */
  public <E extends Enum<E>> Optional<E> choice(String name, E[] constants) {
    return choice(name, constants, Fields::lower);
  }

  /** Returns a constant of an enum, spelled by {@code spelling}. */
  public <E extends Enum<E>> Optional<E> choice(
      String name, E[] constants, Function<Enum<?>, String> spelling) {
    return text(name)
        .flatMap(
            text -> {
              for (E constant : constants) {
                if (spelling.apply(constant).equals(text)) {
                  return Optional.of(constant);
                }
              }
              List<String> choices = List.of(constants).stream().map(spelling).toList();
              wrong(name, "must be one of %s, not \"%s\"".formatted(choices, Snippet.of(text)));
              return Optional.empty();
            });
  }

  /** Writes a field as received, under another name, if it is a number. */
  public void writeNumber(JsonGenerator json, String as, String name) throws IOException {
    if (object.get(name) instanceof BigDecimal number) {
      json.writeFieldName(as);
      json.writeNumber(number);
    }
  }

  /** Records a violation of a field. */
  public void wrong(String name, String message) {
    violations.add(new Violation(path + name, message));
  }

  /** Returns true if this field has a violation. */
  public boolean isWrong(String name) {
    return violations.stream().anyMatch(violation -> violation.field().equals(path + name));
  }

  /** Returns true if any field of this object has a violation. */
  public boolean isWrong() {
    return violations.stream().anyMatch(violation -> violation.field().startsWith(path));
  }

  /**
   * Records a violation for each field that was not read, since it may be misspelt, up to a
   * maximum.
   */
  public void refuseOthers() {
    refuseOthers("is not known here");
  }

  /**
   * Does the same as {@link #refuseOthers()} for a query. The message lists the known parameters.
   */
  public void refuseOtherParameters() {
    refuseOthers(
        known.isEmpty()
            ? "is not known: there are no query parameters here"
            : "is not known here; known are: " + String.join(", ", known));
  }

  private void refuseOthers(String message) {
    object.keySet().stream()
        .map(String.class::cast)
        .filter(name -> !known.contains(name))
        .limit(MAX_OTHERS)
        .forEach(name -> wrong(Snippet.of(name), message));
  }

  public void throwIfWrong() {
    if (!violations.isEmpty()) {
      throw new ProblemException(Problem.invalid(violations));
    }
  }

  /** Does the same as {@link #throwIfWrong()}, with further members of the problem. */
  public void throwIfWrong(Json.Part members) {
    if (!violations.isEmpty()) {
      throw new ProblemException(Problem.invalid(violations).with(members));
    }
  }

  public static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private <T> Optional<T> value(String name, Class<T> type, String what) {
    known.add(name);
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
      wrong(name, rule + ", not " + Snippet.of(value.toString()));
      return Optional.empty();
    }
  }
}
