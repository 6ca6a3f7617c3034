package dev.weir.store.jdbc.rules.internal;

import dev.weir.rules.spec.FieldType;
import dev.weir.rules.spec.RefillRate;
import dev.weir.rules.spec.RuleField;
import java.math.BigDecimal;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Fields of a rule in one column, in the form {@code name=value&name=value} of a query string. So a
 * new field needs no column, and a node keeps those that only a later version knows.
 *
 * @param texts the texts of the values, by the names of the fields
 */
record MoreFields(Map<String, String> texts) {
  private static final MoreFields NONE = new MoreFields(Map.of());

  MoreFields {
    texts = Collections.unmodifiableMap(new TreeMap<>(texts));
  }

  /** Reads the column. */
  static MoreFields of(@Nullable String column) {
    if (column == null || column.isEmpty()) {
      return NONE;
    }
    Map<String, String> texts = new TreeMap<>();
    for (String field : column.split("&", -1)) {
      String[] parts = field.split("=", 2);
      texts.put(decoded(parts[0]), parts.length == 1 ? "" : decoded(parts[1]));
    }
    return new MoreFields(texts);
  }

  static MoreFields of(Map<RuleField, Object> values) {
    Map<String, String> texts = new TreeMap<>();
    values.forEach((field, value) -> texts.put(field.fieldName(), text(field.type(), value)));
    return new MoreFields(texts);
  }

  /** Returns these fields, and of others those that this version does not know. */
  MoreFields withUnknownOf(MoreFields others) {
    Map<String, String> all = new TreeMap<>(others.texts);
    for (RuleField field : RuleField.values()) {
      all.remove(field.fieldName());
    }
    all.putAll(texts);
    return new MoreFields(all);
  }

  /** Returns the content of the column; null if there are no fields. */
  @Nullable String column() {
    return texts.isEmpty()
        ? null
        : texts.entrySet().stream()
            .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
            .collect(Collectors.joining("&"));
  }

  /**
   * Returns the value of a field; null if it is absent.
   *
   * @throws IllegalArgumentException if it is not of its type
   */
  @Nullable Object value(RuleField field) {
    String text = texts.get(field.fieldName());
    if (text == null) {
      return null;
    }
    try {
      return value(field.type(), text);
    } catch (NumberFormatException | DateTimeException e) {
      throw new IllegalArgumentException(field.fieldName() + " cannot be read: " + text, e);
    }
  }

  private static String text(FieldType type, Object value) {
    return switch (type) {
      case FieldType.Text text -> (String) value;
      case FieldType.Choice choice -> (String) value;
      case FieldType.Texts texts ->
          ((List<?>) value)
              .stream()
                  .map(item -> encoded((String) item))
                  .collect(Collectors.joining(RuleRow.SEPARATOR));
      case FieldType.Whole whole -> ((BigDecimal) value).toPlainString();
      case FieldType.Seconds seconds -> ((BigDecimal) value).toPlainString();
      case FieldType.Period period -> value.toString();
      case FieldType.Flag flag -> value.toString();
      case FieldType.Rate rate -> {
        RefillRate.Exact exact = (RefillRate.Exact) value;
        yield exact.tokens() + RuleRow.SEPARATOR + exact.micros();
      }
    };
  }

  private static Object value(FieldType type, String text) {
    return switch (type) {
      case FieldType.Text any -> text;
      case FieldType.Choice choice -> text;
      case FieldType.Texts texts -> items(text).stream().map(MoreFields::decoded).toList();
      case FieldType.Whole whole -> new BigDecimal(text);
      case FieldType.Seconds seconds -> new BigDecimal(text);
      case FieldType.Period period -> Duration.parse(text);
      case FieldType.Flag flag -> Boolean.valueOf(text);
      case FieldType.Rate rate -> {
        List<String> parts = items(text);
        yield new RefillRate.Exact(
            Long.parseLong(parts.getFirst()), Long.parseLong(parts.getLast()));
      }
    };
  }

  private static List<String> items(String text) {
    return text.isEmpty() ? List.of() : Arrays.asList(text.split(RuleRow.SEPARATOR, -1));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
