package dev.weir.server.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The file of the lines that got no slot: one JSON object per line, with the number of the line,
 * its text and the problem. It is created with the first such line, and then replaces the file of
 * an earlier run.
 */
final class RejectFile implements AutoCloseable {
  private final Path path;
  private @Nullable BufferedWriter writer;

  RejectFile(Path path) {
    this.path = path;
  }

  Path path() {
    return path;
  }

  /**
   * Adds a rejected line.
   *
   * @param problemJson the problem, as JSON
   */
  void add(FeedLine line, String problemJson) throws IOException {
    StringWriter entry = new StringWriter();
    try (JsonGenerator json = FeedJson.JSON.createGenerator(entry)) {
      json.writeStartObject();
      json.writeNumberField("line", line.number());
      json.writeStringField("text", line.text());
      json.writeFieldName("problem");
      json.writeRawValue(problemJson);
      json.writeEndObject();
    }
    if (writer == null) {
      writer = Files.newBufferedWriter(path, StandardCharsets.UTF_8);
    }
    writer.write(entry.append('\n').toString());
  }

  /** Flushes added lines, so that they are visible to readers of the file. */
  void flush() throws IOException {
    if (writer != null) {
      writer.flush();
    }
  }

  @Override
  public void close() throws IOException {
    if (writer != null) {
      writer.close();
    }
  }
}
