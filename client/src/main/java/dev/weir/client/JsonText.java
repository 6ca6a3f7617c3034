package dev.weir.client;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** Writes the JSON of requests. */
final class JsonText {
  private JsonText() {}

  /** Writes members of an object, or elements of an array. */
  @FunctionalInterface
  interface Part {
    void write(JsonGenerator json) throws IOException;
  }

  static String object(Part members) {
    return write(
        json -> {
          json.writeStartObject();
          members.write(json);
          json.writeEndObject();
        });
  }

  static String write(Part part) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonObject.JSON.createGenerator(text)) {
      part.write(json);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    return text.toString();
  }
}
