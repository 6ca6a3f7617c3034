package dev.weir.notifications.analytics;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** As much of JSON Schema as our schema uses; anything else in it is an error. */
final class JsonSchema {
  private static final Set<String> KNOWN =
      Set.of(
          "$schema",
          "$id",
          "title",
          "description",
          "type",
          "required",
          "properties",
          "const",
          "enum",
          "format",
          "pattern",
          "minimum",
          "maximum");

  private final JsonTree root;

  private JsonSchema(JsonTree root) {
    this.root = root;
  }

  static JsonSchema read(Path file) throws IOException {
    return new JsonSchema(JsonTree.read(Files.readAllBytes(file)));
  }

  /** Returns the names of the fields that the schema describes. */
  Set<String> fields() {
    return root.at("properties").fields().keySet();
  }

  /** Returns what is wrong with a value; empty if it is valid. */
  Optional<String> problem(JsonTree value) {
    return problem("event", root, value);
  }

  private static Optional<String> problem(String name, JsonTree schema, JsonTree value) {
    for (Map.Entry<String, JsonTree> rule : schema.fields().entrySet()) {
      if (!KNOWN.contains(rule.getKey())) {
        throw new AssertionError("the test does not know " + rule.getKey());
      }
      if (!holds(rule.getKey(), rule.getValue(), value)) {
        return Optional.of(name + " violates " + rule);
      }
    }
    for (Map.Entry<String, JsonTree> property : schema.at("properties").fields().entrySet()) {
      JsonTree field = value.at(property.getKey());
      if (field.value().isPresent()) {
        Optional<String> wrong = problem(property.getKey(), property.getValue(), field);
        if (wrong.isPresent()) {
          return wrong;
        }
      }
    }
    return Optional.empty();
  }

  private static boolean holds(String rule, JsonTree expected, JsonTree value) {
    return switch (rule) {
      case "type" ->
          switch (expected.text().orElseThrow()) {
            case "object" -> value.value().orElse("") instanceof Map<?, ?>;
            case "string" -> value.text().isPresent();
            case "integer" ->
                value.value().orElse("") instanceof BigDecimal number
                    && number.stripTrailingZeros().scale() <= 0;
            default -> throw new AssertionError("the test does not know the type " + expected);
          };
      case "required" ->
          expected.items().stream()
              .allMatch(field -> value.fields().containsKey(field.text().orElseThrow()));
      case "const" -> value.equals(expected);
      case "enum" -> expected.items().contains(value);
      case "pattern" -> value.text().orElse("").matches(expected.text().orElseThrow());
      case "minimum" -> decimal(value).compareTo(decimal(expected)) >= 0;
      case "maximum" -> decimal(value).compareTo(decimal(expected)) <= 0;
      case "format" -> hasFormat(expected.text().orElseThrow(), value.text().orElse(""));
      default -> true;
    };
  }

  private static BigDecimal decimal(JsonTree value) {
    return (BigDecimal) value.value().orElseThrow();
  }

  private static boolean hasFormat(String format, String text) {
    try {
      return switch (format) {
        case "uuid" -> UUID.fromString(text).toString().equals(text);
        case "date-time" -> Instant.parse(text).toString().equals(text);
        default -> throw new AssertionError("the test does not know the format " + format);
      };
    } catch (IllegalArgumentException | DateTimeParseException e) {
      return false;
    }
  }
}
