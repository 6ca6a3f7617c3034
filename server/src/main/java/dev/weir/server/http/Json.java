package dev.weir.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.util.BufferRecycler;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.core.util.RecyclerPool;
import dev.weir.internal.Micros;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads and writes JSON with the streaming parser: no reflection, and every invalid field is
 * reported.
 */
public final class Json {
  /** Represents {@code null} in a parsed document. */
  static final Object NULL = Optional.empty();

  /** A factory with buffers per thread, which virtual threads cannot reuse. */
  private static final JsonFactory OF_THREADS = factory(JsonRecyclerPools.threadLocalPool());

  /** A factory with one buffer pool for all threads. */
  private static final JsonFactory OF_VIRTUAL_THREADS =
      factory(JsonRecyclerPools.sharedConcurrentDequePool());

  private static final int MAX_DEPTH = 16;

  private Json() {}

  /** Does not intern field names: callers choose them, and they are not worth caching. */
  private static JsonFactory factory(RecyclerPool<BufferRecycler> buffers) {
    return JsonFactory.builder()
        .recyclerPool(buffers)
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .build();
  }

  private static JsonFactory factory() {
    return Thread.currentThread().isVirtual() ? OF_VIRTUAL_THREADS : OF_THREADS;
  }

  /** Writes a part of a document. */
  public interface Part {
    void write(JsonGenerator json) throws IOException;
  }

  public static byte[] bytes(Part part) {
    try (ByteArrayBuilder out = new ByteArrayBuilder(256)) {
      try (JsonGenerator json = generator(out)) {
        part.write(json);
      }
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
  }

  public static JsonGenerator generator(ByteArrayBuilder out) throws IOException {
    return factory().createGenerator(out);
  }

  /** Returns a streaming parser of a document. */
  public static JsonParser parser(byte[] bytes) throws IOException {
    return factory().createParser(bytes);
  }

  /** Writes microseconds as seconds, without rounding. */
  public static void writeSeconds(JsonGenerator json, String field, long micros)
      throws IOException {
    json.writeFieldName(field);
    if (micros % Micros.PER_SECOND == 0) {
      json.writeNumber(micros / Micros.PER_SECOND);
    } else {
      json.writeNumber(decimal(micros));
    }
  }

  /** Returns fractional seconds without trailing zeros. */
  private static String decimal(long micros) {
    // The leading one preserves the zeros after the decimal point.
    String digits = Long.toString(Micros.PER_SECOND + micros % Micros.PER_SECOND);
    int end = digits.length();
    while (digits.charAt(end - 1) == '0') {
      end--;
    }
    return new StringBuilder()
        .append(micros / Micros.PER_SECOND)
        .append('.')
        .append(digits, 1, end)
        .toString();
  }

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
    try (JsonParser json = factory().createParser(bytes, from, length)) {
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
