package dev.weir.http.fields;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import dev.weir.http.json.Json;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads JSON documents of callers. Whatever is wrong with one is a problem that says where. */
public final class JsonDocument {
  /** Represents {@code null} in a parsed document. */
  static final Object NULL = Optional.empty();

  private static final int MAX_DEPTH = 16;

  private JsonDocument() {}

  /**
   * Reads one complete document into maps, lists, strings, numbers, booleans and {@link #NULL}.
   *
   * @throws ProblemException if the bytes are not a valid document
   */
  public static Object read(byte[] bytes, int from, int length) {
    return read(bytes, from, length, 1);
  }

  /**
   * Reads one complete document of a stream.
   *
   * @param firstLine the number of its first line in the stream, for the problem
   * @throws ProblemException if the bytes are not a valid document
   */
  public static Object read(byte[] bytes, int from, int length, long firstLine) {
    try (JsonParser json = Json.parser(bytes, from, length)) {
      if (json.nextToken() == null) {
        throw malformed("the body is empty");
      }
      Object value = value(json, 0);
      if (json.nextToken() != null) {
        throw malformed("something follows the end of the document");
      }
      return value;
    } catch (JsonEOFException e) {
      throw malformed("it ends too early");
    } catch (StreamConstraintsException | NumberFormatException e) {
      throw malformed("a name or a number in it is too long");
    } catch (JsonProcessingException e) {
      // The parser's own message mentions its features, which mean nothing to the caller.
      JsonLocation where = e.getLocation();
      throw malformed(
          "it is not valid at line %d, column %d"
              .formatted(firstLine - 1 + where.getLineNr(), where.getColumnNr()));
    } catch (IOException e) {
      throw malformed("it is not UTF-8 text");
    }
  }

  private static Object value(JsonParser json, int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw malformed("it is nested more than " + MAX_DEPTH + " deep");
    }
    JsonToken token = json.currentToken();
    return switch (token) {
      case START_OBJECT -> object(json, depth);
      case START_ARRAY -> array(json, depth);
      case VALUE_STRING -> json.getText();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.getDecimalValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> NULL;
      case END_ARRAY, END_OBJECT, FIELD_NAME, NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
          throw malformed("unexpected " + token);
    };
  }

  private static Map<String, Object> object(JsonParser json, int depth) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      json.nextToken();
      if (fields.put(name, value(json, depth + 1)) != null) {
        throw malformed("the field \"%s\" occurs twice".formatted(Snippet.of(name)));
      }
    }
    return fields;
  }

  private static List<Object> array(JsonParser json, int depth) throws IOException {
    List<Object> items = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      items.add(value(json, depth + 1));
    }
    return items;
  }

  private static ProblemException malformed(String why) {
    return new ProblemException(
        Problem.of(400, "malformed-json", "The JSON cannot be read: " + why + "."));
  }
}
