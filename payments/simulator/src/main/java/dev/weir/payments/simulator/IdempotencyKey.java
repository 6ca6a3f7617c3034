package dev.weir.payments.simulator;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The header field {@code Idempotency-Key}: the payment id, in which everything but letters, digits
 * and {@code -._~} is percent-encoded, because an id may have characters that a field cannot.
 */
final class IdempotencyKey {
  static final String NAME = "Idempotency-Key";
  private static final String UNRESERVED = "-._~";

  private IdempotencyKey() {}

  /** Returns the payment id in a value of the field; empty if it is malformed. */
  static Optional<String> paymentId(String field) {
    ByteBuffer bytes = ByteBuffer.allocate(field.length());
    for (int i = 0; i < field.length(); i++) {
      char unit = field.charAt(i);
      if (unit == '%') {
        if (i + 2 >= field.length()
            || !HexFormat.isHexDigit(field.charAt(i + 1))
            || !HexFormat.isHexDigit(field.charAt(i + 2))) {
          return Optional.empty();
        }
        bytes.put((byte) HexFormat.fromHexDigits(field, i + 1, i + 3));
        i += 2;
      } else if (unit < 128 && isUnreserved((byte) unit)) {
        bytes.put((byte) unit);
      } else {
        return Optional.empty();
      }
    }
    try {
      CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(bytes.flip());
      return Optional.of(text.toString());
    } catch (CharacterCodingException notUtf8) {
      return Optional.empty();
    }
  }

  private static boolean isUnreserved(byte unit) {
    return (unit >= 'a' && unit <= 'z')
        || (unit >= 'A' && unit <= 'Z')
        || (unit >= '0' && unit <= '9')
        || UNRESERVED.indexOf(unit) >= 0;
  }
}
