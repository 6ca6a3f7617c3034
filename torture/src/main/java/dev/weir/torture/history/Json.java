package dev.weir.torture.history;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A JSON object. Values are texts, numbers as texts, {@code true} and {@code false} as texts. */
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  private final Map<String, String> values = new LinkedHashMap<>();
  private final Map<String, List<Json>> lists = new LinkedHashMap<>();

  private Json() {}

  /** Reads an object; fields that are objects and lists of anything but objects are left out. */
  public static Json read(String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("no JSON object: " + text);
      }
      return read(parser);
    } catch (IOException e) {
      throw new UncheckedIOException("no JSON: " + text, e);
    }
  }

  private static Json read(JsonParser parser) throws IOException {
    Json json = new Json();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      JsonToken value = parser.nextToken();
      if (value == JsonToken.START_ARRAY) {
        json.lists.put(field, readList(parser));
      } else if (value == JsonToken.START_OBJECT) {
        read(parser);
      } else {
        json.values.put(field, parser.getText());
      }
    }
    return json;
  }

  private static List<Json> readList(JsonParser parser) throws IOException {
    List<Json> list = new ArrayList<>();
    for (JsonToken next = parser.nextToken();
        next != JsonToken.END_ARRAY;
        next = parser.nextToken()) {
      if (next == JsonToken.START_OBJECT) {
        list.add(read(parser));
      } else if (next == JsonToken.START_ARRAY) {
        readList(parser);
      }
    }
    return list;
  }

  /** Writes an object of texts and numbers, from names and values in turns. */
  public static String write(Object... namesAndValues) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      json.writeStartObject();
      for (int i = 0; i < namesAndValues.length; i += 2) {
        json.writeFieldName(namesAndValues[i].toString());
        if (namesAndValues[i + 1] instanceof Long number) {
          json.writeNumber(number);
        } else if (namesAndValues[i + 1] instanceof Integer number) {
          json.writeNumber(number);
        } else if (namesAndValues[i + 1] instanceof Boolean value) {
          json.writeBoolean(value);
        } else {
          json.writeString(namesAndValues[i + 1].toString());
        }
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  public Optional<String> find(String field) {
    return Optional.ofNullable(values.get(field));
  }

  public String text(String field) {
    return find(field)
        .orElseThrow(() -> new IllegalArgumentException("no " + field + " in " + values));
  }

  public long number(String field) {
    return Long.parseLong(text(field));
  }

  public boolean isTrue(String field) {
    return find(field).orElse("").equals("true");
  }

  /** A time, in microseconds since the epoch. */
  public long micros(String field) {
    Instant time = Instant.parse(text(field));
    return Math.addExact(
        Math.multiplyExact(time.getEpochSecond(), 1_000_000L), time.getNano() / 1_000);
  }

  /** The objects of a list. */
  public List<Json> list(String field) {
    return lists.getOrDefault(field, List.of());
  }

  @Override
  public String toString() {
    return values.toString() + lists;
  }
}
