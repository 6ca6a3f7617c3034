package dev.weir.notifications.analytics;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A value of a JSON document: a map, a list, a {@link String}, a {@link BigDecimal}, a {@link
 * Boolean}, or nothing for null and for what is absent.
 */
record JsonTree(Optional<Object> value) {
  static final JsonTree NOTHING = new JsonTree(Optional.empty());
  private static final JsonFactory FACTORY = new JsonFactory();
  private static final int MAX_DEPTH = 50;

  /**
   * Reads one complete document.
   *
   * @throws IOException if the bytes are not a document
   */
  static JsonTree read(byte[] bytes) throws IOException {
    try (JsonParser json = FACTORY.createParser(bytes)) {
      if (json.nextToken() == null) {
        throw new IOException("the document is empty");
      }
      JsonTree tree = new JsonTree(value(json, 0));
      if (json.nextToken() != null) {
        throw new IOException("something follows the end of the document");
      }
      return tree;
    }
  }

  private static Optional<Object> value(JsonParser json, int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw new IOException("the document is nested too deep");
    }
    JsonToken token = json.currentToken();
    return switch (token) {
      case START_OBJECT -> Optional.of(object(json, depth));
      case START_ARRAY -> Optional.of(array(json, depth));
      case VALUE_STRING -> Optional.of(json.getText());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> Optional.of(json.getDecimalValue());
      case VALUE_TRUE -> Optional.of(true);
      case VALUE_FALSE -> Optional.of(false);
      case VALUE_NULL -> Optional.empty();
      case END_ARRAY, END_OBJECT, FIELD_NAME, NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
          throw new IOException("unexpected " + token);
    };
  }

  private static Map<String, JsonTree> object(JsonParser json, int depth) throws IOException {
    Map<String, JsonTree> fields = new LinkedHashMap<>();
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      json.nextToken();
      fields.put(name, new JsonTree(value(json, depth + 1)));
    }
    return fields;
  }

  private static List<JsonTree> array(JsonParser json, int depth) throws IOException {
    List<JsonTree> items = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      items.add(new JsonTree(value(json, depth + 1)));
    }
    return items;
  }

  /** Returns a field of an object; nothing if there is none. */
  JsonTree at(String field) {
    return value.orElse("") instanceof Map<?, ?> object
            && object.get(field) instanceof JsonTree found
        ? found
        : NOTHING;
  }

  boolean isObject() {
    return value.orElse("") instanceof Map<?, ?>;
  }

  boolean isList() {
    return value.orElse("") instanceof List<?>;
  }

  /** Returns the fields of an object; empty if this is not an object. */
  Map<String, JsonTree> fields() {
    Map<String, JsonTree> fields = new LinkedHashMap<>();
    if (value.orElse("") instanceof Map<?, ?> object) {
      object.forEach((name, field) -> fields.put((String) name, (JsonTree) field));
    }
    return fields;
  }

  /** Returns the items of a list; empty if this is not a list. */
  List<JsonTree> items() {
    return value.orElse("") instanceof List<?> list
        ? list.stream().map(JsonTree.class::cast).toList()
        : List.of();
  }

  Optional<String> text() {
    return value.filter(String.class::isInstance).map(String.class::cast);
  }

  /** Returns a number; a fraction is dropped. */
  Optional<Long> number() {
    return value
        .filter(BigDecimal.class::isInstance)
        .map(found -> ((BigDecimal) found).longValue());
  }

  boolean isTrue() {
    return value.equals(Optional.of(true));
  }
}
