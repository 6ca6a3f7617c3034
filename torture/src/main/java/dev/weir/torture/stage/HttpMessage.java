package dev.weir.torture.stage;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request or a response of HTTP/1.1, exactly as it came: no connection is used again and nothing
 * is repeated behind the back of the reader.
 */
public final class HttpMessage {
  private static final int MAX_LINE = 16_384;

  private final String head;
  private final Map<String, String> fields;
  private final byte[] body;
  private final boolean isWhole;

  /** Creates a message; the names of the fields are in lower case. */
  private HttpMessage(String head, Map<String, String> fields, byte[] body, boolean isWhole) {
    this.head = head;
    this.fields = fields;
    this.body = body;
    this.isWhole = isWhole;
  }

  /**
   * Reads a message. One without a length has no body.
   *
   * @return nothing if the connection was closed before it
   * @throws EOFException if it was closed within the head
   */
  public static Optional<HttpMessage> read(InputStream in) throws IOException {
    Optional<String> head = line(in);
    if (head.isEmpty()) {
      return Optional.empty();
    }
    Map<String, String> fields = new HashMap<>();
    while (true) {
      String field = line(in).orElseThrow(EOFException::new);
      if (field.isEmpty()) {
        break;
      }
      int colon = field.indexOf(':');
      if (colon < 1) {
        throw new IOException("no header field: " + field);
      }
      fields.merge(
          field.substring(0, colon).toLowerCase(Locale.ROOT),
          field.substring(colon + 1).strip(),
          (one, other) -> one + ", " + other);
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    boolean isWhole;
    try {
      isWhole =
          fields.getOrDefault("transfer-encoding", "").equals("chunked")
              ? readChunks(in, body)
              : readBytes(in, Integer.parseInt(fields.getOrDefault("content-length", "0")), body);
    } catch (IOException e) {
      isWhole = false;
    }
    return Optional.of(new HttpMessage(head.get(), fields, body.toByteArray(), isWhole));
  }

  private static boolean readBytes(InputStream in, int length, ByteArrayOutputStream body)
      throws IOException {
    byte[] buffer = new byte[MAX_LINE];
    int rest = length;
    while (rest > 0) {
      int read = in.read(buffer, 0, Math.min(rest, buffer.length));
      if (read < 0) {
        return false;
      }
      body.write(buffer, 0, read);
      rest -= read;
    }
    return true;
  }

  private static boolean readChunks(InputStream in, ByteArrayOutputStream body) throws IOException {
    while (true) {
      int length = Integer.parseInt(line(in).orElseThrow(EOFException::new), 16);
      if (!readBytes(in, length, body)) {
        return false;
      }
      if (!line(in).orElseThrow(EOFException::new).isEmpty()) {
        throw new IOException("a chunk is longer than it says");
      }
      if (length == 0) {
        return true;
      }
    }
  }

  private static Optional<String> line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0 && line.size() == 0) {
        return Optional.empty();
      }
      if (next < 0 || line.size() > MAX_LINE) {
        throw new EOFException("a line does not end");
      }
      line.write(next);
    }
    return Optional.of(line.toString(StandardCharsets.ISO_8859_1).stripTrailing());
  }

  /** The request line or the status line. */
  public String head() {
    return head;
  }

  /** What came of the body; not to be changed. */
  public byte[] body() {
    return body;
  }

  /** Returns false if the connection broke before the body ended as its framing says. */
  public boolean isWhole() {
    return isWhole;
  }

  /** The header field, or an empty text. */
  public String field(String name) {
    return fields.getOrDefault(name, "");
  }
}
