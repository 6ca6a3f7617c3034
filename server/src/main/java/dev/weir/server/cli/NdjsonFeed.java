package dev.weir.server.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.feeds.internal.RecordReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A feed of JSON objects, one per line, passed to the server nearly unchanged. */
final class NdjsonFeed implements Feed {
  private static final int LAST_OF_ASCII = 127;

  private final RecordReader lines;
  private final Optional<String> configName;
  private final LineCount count;

  /**
   * Reads a feed from a stream.
   *
   * @param configName the configuration of entries that name none
   */
  NdjsonFeed(InputStream in, Optional<String> configName, LineCount count) {
    this.lines = new RecordReader(in, false);
    this.configName = configName;
    this.count = count;
  }

  @Override
  public @Nullable FeedLine next() throws IOException {
    RecordReader.Cut cut = lines.nextNonBlank();
    if (cut == null) {
      count.end();
      return null;
    }
    String flaw = flaw(cut);
    if (flaw != null) {
      return new FeedLine.Flawed(cut.line(), cut.text(), flaw);
    }
    String request =
        configName.isPresent() ? withConfig(cut.text(), configName.orElseThrow()) : cut.text();
    return new FeedLine.Entry(cut.line(), cut.text(), request);
  }

  @Override
  public boolean mayBlock() throws IOException {
    return lines.mayBlock();
  }

  @Override
  public long consumedBytes() {
    return lines.consumedBytes();
  }

  /**
   * Returns why an entry cannot be sent. A line that the server takes for blank would shift every
   * later result to another line. All other validation is up to the server.
   */
  private @Nullable String flaw(RecordReader.Cut cut) {
    String flaw = count.flaw(cut);
    if (flaw != null) {
      return flaw;
    }
    return cut.text().stripLeading().startsWith("{") ? null : "is not a JSON object";
  }

  /** Adds the configuration to an entry that names none; returns an unreadable entry unchanged. */
  private static String withConfig(String text, String configName) throws IOException {
    StringWriter copy = new StringWriter(text.length() + configName.length() + 20);
    try (JsonParser parser = FeedJson.JSON.createParser(text);
        JsonGenerator generator = FeedJson.JSON.createGenerator(copy)) {
      if (text.contains("\\u")) {
        // What was escaped stays so: half of a surrogate pair cannot be sent in another way, and it
        // is for the server to refuse the line.
        generator.setHighestNonEscapedChar(LAST_OF_ASCII);
      }
      parser.nextToken();
      generator.writeStartObject();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        if (name.equals("configName")) {
          if (value != JsonToken.VALUE_NULL) {
            return text;
          }
        } else {
          generator.writeFieldName(name);
          copyValue(parser, value, generator);
        }
      }
      if (parser.nextToken() != null) {
        return text;
      }
      generator.writeStringField("configName", configName);
      generator.writeEndObject();
    } catch (JsonProcessingException notJson) {
      return text;
    }
    return copy.toString();
  }

  /** A number stays as it is written: one that is too large for a double would become a text. */
  private static void copyValue(JsonParser parser, JsonToken value, JsonGenerator generator)
      throws IOException {
    if (value.isNumeric()) {
      generator.writeNumber(parser.getText());
    } else {
      generator.copyCurrentStructure(parser);
    }
  }
}
