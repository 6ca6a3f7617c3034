package dev.weir.server.dashboard;

import dev.weir.http.json.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** An event of a stream, ready to be sent. Immutable. */
final class ServerSentEvent {
  /** The second of an event that is not a sample. */
  static final long NO_SECOND = Long.MAX_VALUE;

  private final long second;
  private final byte[] bytes;

  ServerSentEvent(long second, byte[] bytes) {
    this.second = second;
    this.bytes = bytes;
  }

  /** Returns the second of a sample; {@link #NO_SECOND} for any other event. */
  long second() {
    return second;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Returns an event with a name and one line of data. */
  static ServerSentEvent of(String name, byte[] json) {
    return new ServerSentEvent(NO_SECOND, text("event: %s\n".formatted(name), json));
  }

  /** Returns the event of a sample, whose id is its second. */
  static ServerSentEvent of(Sample sample) {
    return new ServerSentEvent(
        sample.second(),
        text("id: %d\nevent: sample\n".formatted(sample.second()), Json.bytes(sample::write)));
  }

  private static byte[] text(String head, byte[] json) {
    return join(
        List.of(
            head.getBytes(StandardCharsets.US_ASCII),
            "data: ".getBytes(StandardCharsets.US_ASCII),
            json,
            "\n\n".getBytes(StandardCharsets.US_ASCII)));
  }

  static byte[] join(List<byte[]> parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    parts.forEach(all::writeBytes);
    return all.toByteArray();
  }
}
