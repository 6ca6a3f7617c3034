package dev.weir.http.fields;

import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Decodes percent-encoded text of a request target strictly. A lenient decoder replaces invalid
 * UTF-8 by U+FFFD, which makes different ids equal.
 */
public final class PercentEncoding {
  private static final Problem MALFORMED =
      Problem.of(400, "bad-request", "The path and the query must be UTF-8 text, percent-encoded.");

  private static final int HEX = 16;
  private static final int LAST_ASCII = 0x7F;

  private PercentEncoding() {}

  /**
   * Returns the decoded text. A plus stays a plus.
   *
   * @throws ProblemException if it is not percent-encoded UTF-8
   */
  public static String decode(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        bytes.write(octet(text, i));
        i += 2;
      } else if (c <= LAST_ASCII) {
        bytes.write(c);
      } else {
        // The HTTP decoder maps each byte to a character, so the original bytes are ambiguous.
        throw new ProblemException(MALFORMED);
      }
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.toByteArray()))
          .toString();
    } catch (CharacterCodingException e) {
      throw new ProblemException(MALFORMED);
    }
  }

  private static int octet(String text, int percent) {
    if (percent + 2 < text.length()) {
      int high = Character.digit(text.charAt(percent + 1), HEX);
      int low = Character.digit(text.charAt(percent + 2), HEX);
      if (high >= 0 && low >= 0) {
        return high * HEX + low;
      }
    }
    throw new ProblemException(MALFORMED);
  }
}
