package dev.weir.payments.simulator.calls;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
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
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    Instant last = Instant.MIN;
    long number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      RecordedCall call;
      try {
        call = call(line);
      } catch (JsonProcessingException
          | DateTimeException
          | ArithmeticException
          | IllegalArgumentException malformed) {
        if (CallLog.mayBegin(line) && lines.readLine() == null) {
          return;
        }
        throw new IOException(
            "%s, line %d: not a recorded call".formatted(name, number), malformed);
      }
      if (call.at().isBefore(last)) {
        throw new IOException(
            "%s, line %d: the call is earlier than the one before it".formatted(name, number));
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
