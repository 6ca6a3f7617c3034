package dev.weir.server.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** The JSON of the lines of a feed. */
final class FeedJson {
  /** Shared: it is thread-safe and caches the tables of known names. */
  static final JsonFactory JSON = new JsonFactory();

  private FeedJson() {}

  /** Returns true if a text is exactly one object, and may therefore be an element of an array. */
  static boolean isOneObject(String text) {
    try (JsonParser parser = JSON.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      parser.skipChildren();
      return parser.nextToken() == null;
    } catch (IOException notJson) {
      return false;
    }
  }

  /** Returns the problem of a line that cannot be sent, in the server's format. */
  static String unreadableLine(String flaw) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("type", "about:blank");
      json.writeStringField("title", "Unreadable line");
      json.writeNumberField("status", 400);
      json.writeStringField("detail", "The line " + flaw + ".");
      json.writeEndObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return text.toString();
  }
}
