package dev.weir.server.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object from the server. A member that is null or of an unexpected type counts as absent,
 * and unknown members are ignored: the server may add members, and an old client must not fail on
 * them.
 */
final class JsonObject {
  /** Shared: it is thread-safe and caches the tables of known names. */
  static final JsonFactory JSON = new JsonFactory();

  private final Map<String, @Nullable Object> members;

  private JsonObject(Map<String, @Nullable Object> members) {
    this.members = members;
  }

  /** Reads bytes that contain exactly one object; throws if they contain anything else. */
  static JsonObject read(byte[] bytes) throws IOException {
    try (JsonParser parser = JSON.createParser(bytes)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("not a JSON object");
      }
      JsonObject object = object(parser);
      if (parser.nextToken() != null) {
        throw new IOException("more than one JSON object");
      }
      return object;
    }
  }

  Optional<String> text(String name) {
    return members.get(name) instanceof String text ? Optional.of(text) : Optional.empty();
  }

  Optional<Long> number(String name) {
    return members.get(name) instanceof Number number
        ? Optional.of(number.longValue())
        : Optional.empty();
  }

  boolean flag(String name) {
    return Boolean.TRUE.equals(members.get(name));
  }

  List<JsonObject> objects(String name) {
    if (!(members.get(name) instanceof List<?> list)) {
      return List.of();
    }
    return list.stream().filter(JsonObject.class::isInstance).map(JsonObject.class::cast).toList();
  }

  /**
   * Returns a member that the contract guarantees; a response without it is not from a Weir server.
   */
  String requiredText(String name) throws IOException {
    return text(name).orElseThrow(() -> new IOException("no text '" + name + "'"));
  }

  long requiredNumber(String name) throws IOException {
    return number(name).orElseThrow(() -> new IOException("no number '" + name + "'"));
  }

  /** Reads a value. The parser limits the depth, so recursion is safe. */
  private static @Nullable Object value(JsonParser parser, JsonToken token) throws IOException {
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT ->
          parser.getNumberValue() instanceof BigInteger big
              ? (Object) big
              : (Object) parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
          throw new IOException("unexpected " + token);
    };
  }

  private static JsonObject object(JsonParser parser) throws IOException {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      members.put(name, value(parser, parser.nextToken()));
    }
    return new JsonObject(members);
  }

  private static List<@Nullable Object> array(JsonParser parser) throws IOException {
    List<@Nullable Object> values = new ArrayList<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      values.add(value(parser, token));
    }
    return values;
  }
}
