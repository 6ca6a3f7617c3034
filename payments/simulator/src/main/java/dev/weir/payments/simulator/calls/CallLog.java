package dev.weir.payments.simulator.calls;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of calls, one JSON object per line, in the order of their arrival. Each line is in the
 * hands of the operating system before the call is answered, so that a killed process has recorded
 * whatever it answered. Not thread-safe.
 */
public final class CallLog implements AutoCloseable {
  private static final JsonFactory JSON = new JsonFactory();
  private static final String BEGIN = "{\"at\":\"";

  private final BufferedWriter writer;

  private CallLog(BufferedWriter writer) {
    this.writer = writer;
  }

  /**
   * Opens a file to append to, and creates it if there is none. An incomplete last line, which a
   * killed process leaves, is removed.
   *
   * @throws IOException if the file cannot be written, or its last line is incomplete and no call
   */
  public static CallLog append(Path file) throws IOException {
    if (Files.exists(file)) {
      removeIncompleteLine(file);
    }
    return new CallLog(
        Files.newBufferedWriter(
            file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  /** Records a call. */
  public void add(RecordedCall call) throws IOException {
    // Not closed by the generator, which would close the file.
    JsonGenerator json = JSON.createGenerator(writer);
    json.writeStartObject();
    json.writeStringField("at", call.at().toString());
    json.writeStringField("paymentId", call.paymentId());
    json.writeStringField("contentDigest", call.contentDigest());
    json.writeNumberField("attempt", call.attempt());
    json.writeStringField("result", call.result().name());
    json.writeBooleanField("booked", call.booked());
    json.writeEndObject();
    json.flush();
    writer.write('\n');
    writer.flush();
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }

  /** Returns true if a line may be the beginning of a recorded call. */
  static boolean mayBegin(String line) {
    return line.startsWith(BEGIN) || BEGIN.startsWith(line);
  }

  private static void removeIncompleteLine(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long end = LastLine.end(channel);
      if (end == channel.size()) {
        return;
      }
      // Otherwise a file that was named by mistake would lose its last line.
      if (!mayBegin(LastLine.text(channel, end, BEGIN.length()))) {
        throw new IOException(file + ": the last line is not a recorded call");
      }
      channel.truncate(end);
    }
  }
}
