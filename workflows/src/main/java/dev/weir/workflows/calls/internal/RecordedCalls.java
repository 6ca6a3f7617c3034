package dev.weir.workflows.calls.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.workflows.feed.internal.RecordReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Reads the file that a {@link CallLog} wrote, one call at a time. */
public final class RecordedCalls {
  private static final JsonFactory JSON = new JsonFactory();

  private RecordedCalls() {}

  /**
   * Hands each call to a consumer, in the order of their arrival. A last line that a killed process
   * did not finish is left out: its call was not answered.
   *
   * @throws IOException if the file cannot be read, or a line is not a call or is earlier than the
   *     one before it
   */
  public static void read(Path file, Consumer<RecordedCall> consumer) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      read(in, file.toString(), consumer);
    }
  }

  static void read(InputStream in, String name, Consumer<RecordedCall> consumer)
      throws IOException {
    RecordReader lines = new RecordReader(in, false);
    Instant last = Instant.MIN;
    for (RecordReader.Cut cut = lines.next(); cut != null; cut = lines.next()) {
      RecordedCall call;
      try {
        call = call(cut.text());
      } catch (JsonProcessingException
          | DateTimeException
          | ArithmeticException
          | IllegalArgumentException malformed) {
        if (CallLog.mayBegin(cut.text()) && lines.next() == null) {
          return;
        }
        throw new IOException(
            "%s, line %d: not a recorded call".formatted(name, cut.line()), malformed);
      }
      if (call.at().isBefore(last)) {
        throw new IOException(
            "%s, line %d: the call is earlier than the one before it".formatted(name, cut.line()));
      }
      last = call.at();
      consumer.accept(call);
    }
  }

  private static RecordedCall call(String line) throws IOException {
    Map<String, String> members = new HashMap<>();
    try (JsonParser parser = JSON.createParser(line)) {
      require(parser.nextToken() == JsonToken.START_OBJECT);
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        require(parser.nextToken().isScalarValue());
        members.put(name, parser.getText());
      }
      require(parser.nextToken() == null);
    }
    return new RecordedCall(
        Instant.parse(member(members, "at")),
        member(members, "paymentId"),
        member(members, "contentDigest"),
        Integer.parseInt(member(members, "attempt")),
        CallResult.valueOf(member(members, "result")),
        Boolean.parseBoolean(member(members, "booked")));
  }

  private static String member(Map<String, String> members, String name) {
    String value = members.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no member " + name);
    }
    return value;
  }

  private static void require(boolean condition) {
    if (!condition) {
      throw new IllegalArgumentException("not a recorded call");
    }
  }
}
