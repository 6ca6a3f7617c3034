package dev.weir.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
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
public final class JsonObject {
  static final JsonObject EMPTY = new JsonObject(Map.of());

  /** Shared: it is thread-safe and caches the tables of known names. */
  static final JsonFactory JSON = new JsonFactory();

  private final Map<String, @Nullable Object> members;

  /** An element of an array, as a value and as the text that was sent. */
  public record Element(JsonObject object, String text) {}

  private JsonObject(Map<String, @Nullable Object> members) {
    this.members = members;
  }

  /** Reads bytes that contain exactly one object; throws if they contain anything else. */
  public static JsonObject read(byte[] bytes) throws IOException {
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

  /** Reads bytes that contain exactly one array of objects. */
  public static List<Element> readArray(byte[] bytes) throws IOException {
    try (JsonParser parser = JSON.createParser(bytes)) {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw new IOException("not a JSON array");
      }
      List<Element> elements = new ArrayList<>();
      for (JsonToken token = parser.nextToken();
          token != JsonToken.END_ARRAY;
          token = parser.nextToken()) {
        if (token != JsonToken.START_OBJECT) {
          throw new IOException("an element of the JSON array is not an object");
        }
        int from = (int) parser.currentTokenLocation().getByteOffset();
        JsonObject object = object(parser);
        int to = (int) parser.currentTokenLocation().getByteOffset() + 1;
        elements.add(
            new Element(
                object, new String(Arrays.copyOfRange(bytes, from, to), StandardCharsets.UTF_8)));
      }
      if (parser.nextToken() != null) {
        throw new IOException("more than one JSON array");
      }
      return elements;
    }
  }

  /** Returns a member that is a text. */
  public Optional<String> text(String name) {
    return members.get(name) instanceof String text ? Optional.of(text) : Optional.empty();
  }

  /** Returns a member that is a number, without its fraction. */
  public Optional<Long> number(String name) {
    return members.get(name) instanceof Number number
        ? Optional.of(number.longValue())
        : Optional.empty();
  }

  /** Returns true if a member is {@code true}. */
  public boolean flag(String name) {
    return Boolean.TRUE.equals(members.get(name));
  }

  /** Returns a member that is {@code true} or {@code false}. */
  Optional<Boolean> bool(String name) {
    return members.get(name) instanceof Boolean flag ? Optional.of(flag) : Optional.empty();
  }

  /** Returns the objects in a member that is an array. */
  public List<JsonObject> objects(String name) {
    if (!(members.get(name) instanceof List<?> list)) {
      return List.of();
    }
    return list.stream().filter(JsonObject.class::isInstance).map(JsonObject.class::cast).toList();
  }

  /** Returns a member that is a time. */
  public Optional<Instant> time(String name) throws IOException {
    Optional<String> text = text(name);
    return text.isPresent() ? Optional.of(time(name, text.get())) : Optional.empty();
  }

  /** Returns a member that is a number of seconds. */
  Optional<Duration> seconds(String name) {
    return members.get(name) instanceof Number number && number.doubleValue() >= 0
        ? Optional.of(Duration.ofNanos(Math.round(number.doubleValue() * 1e9)))
        : Optional.empty();
  }

  /**
   * Returns a member that the contract guarantees; a response without it is not from a Weir server.
   */
  public String requiredText(String name) throws IOException {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      throw new IOException("no text '" + name + "'");
    }
    return text.get();
  }

  /** Returns a number that the contract guarantees. */
  public long requiredNumber(String name) throws IOException {
    Optional<Long> number = number(name);
    if (number.isEmpty()) {
      throw new IOException("no number '" + name + "'");
    }
    return number.get();
  }

  /** Returns a time that the contract guarantees. */
  public Instant requiredTime(String name) throws IOException {
    return time(name, requiredText(name));
  }

  /** Returns a constant that the contract guarantees, written in any case. */
  <E extends Enum<E>> E requiredConstant(String name, E[] constants) throws IOException {
    String text = requiredText(name);
    for (E constant : constants) {
      if (constant.name().equalsIgnoreCase(text)) {
        return constant;
      }
    }
    throw new IOException("'%s' is '%s'".formatted(name, text));
  }

  private static Instant time(String name, String text) throws IOException {
    try {
      return Instant.parse(text);
    } catch (DateTimeException notTime) {
      throw new IOException("'%s' is no time: '%s'".formatted(name, text), notTime);
    }
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

  /** Returns the members without their values, which may be personal data. */
  @Override
  public String toString() {
    return "JsonObject" + members.keySet();
  }
}
