package dev.weir.server.cli;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.OptionalLong;

/** The head of an HTTP/1.1 response: its status and how its body is framed. */
record AnswerHead(int status, boolean chunked, OptionalLong lengthBytes) {
  private static final int MAX_LINE_BYTES = 8 * 1024;
  private static final int MAX_LINES = 200;

  /** Reads up to the body, skipping interim responses such as 100 Continue. */
  static AnswerHead read(InputStream in) throws IOException {
    while (true) {
      int status = status(line(in));
      boolean chunked = false;
      OptionalLong lengthBytes = OptionalLong.empty();
      int lines = 0;
      for (String header = line(in); !header.isEmpty(); header = line(in)) {
        if (++lines > MAX_LINES) {
          throw new IOException("too many headers in the answer");
        }
        int colon = Math.max(header.indexOf(':'), 0);
        String name = header.substring(0, colon).trim().toLowerCase(Locale.ROOT);
        String value = header.substring(colon + 1).trim();
        if (name.equals("transfer-encoding")) {
          chunked = value.toLowerCase(Locale.ROOT).endsWith("chunked");
        } else if (name.equals("content-length")) {
          lengthBytes = OptionalLong.of(number(value, 10));
        }
      }
      if (status >= 200) {
        return new AnswerHead(status, chunked, lengthBytes);
      }
    }
  }

  /** Returns the body that follows on the stream, without its framing. */
  InputStream body(InputStream in) {
    if (chunked) {
      return new FramedInput(in, 0, true);
    }
    return lengthBytes.isPresent() ? new FramedInput(in, lengthBytes.getAsLong(), false) : in;
  }

  /** Reads a line of the head, or of the framing of a body, without its line end. */
  static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the connection was closed");
      }
      if (line.size() == MAX_LINE_BYTES) {
        throw new IOException("a header of the answer is too long");
      }
      line.write(next);
    }
    String text = line.toString(StandardCharsets.ISO_8859_1);
    return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
  }

  static long number(String text, int radix) throws IOException {
    try {
      long number = Long.parseLong(text, radix);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException notOne) {
      throw new IOException("not HTTP: '" + text + "'", notOne);
    }
    throw new IOException("not HTTP: '" + text + "'");
  }

  private static int status(String line) throws IOException {
    String[] words = line.split(" ", 3);
    if (words.length < 2 || !words[0].startsWith("HTTP/1.")) {
      throw new IOException("not HTTP");
    }
    return Math.toIntExact(number(words[1], 10) % 1000);
  }
}
