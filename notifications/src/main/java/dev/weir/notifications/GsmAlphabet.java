package dev.weir.notifications;

import java.util.Arrays;

/**
 * The default alphabet of GSM 03.38 with its extension table. A character takes one septet, one of
 * the extension table takes two: an escape and its code.
 */
final class GsmAlphabet {
  private static final byte ESCAPE = 0x1B;

  /** The characters by their codes; the escape is at its own code, as a placeholder. */
  private static final String BASIC =
      "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001BÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
          + "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";

  private static final String EXTENSION = "\f^{}\\[~]|€";
  private static final byte[] EXTENSION_CODES = {
    0x0A, 0x14, 0x28, 0x29, 0x2F, 0x3C, 0x3D, 0x3E, 0x40, 0x65
  };

  /** No character of the alphabet is above the euro sign, U+20AC. */
  private static final int CHARS = 0x20AD;

  private static final byte ABSENT = -1;

  /** The code of each character in the basic table. */
  private static final byte[] BASIC_CODE = new byte[CHARS];

  /** The code of each character in the extension table. */
  private static final byte[] EXTENSION_CODE = new byte[CHARS];

  static {
    Arrays.fill(BASIC_CODE, ABSENT);
    Arrays.fill(EXTENSION_CODE, ABSENT);
    for (int code = 0; code < BASIC.length(); code++) {
      if (code != ESCAPE) {
        BASIC_CODE[BASIC.charAt(code)] = (byte) code;
      }
    }
    for (int i = 0; i < EXTENSION.length(); i++) {
      EXTENSION_CODE[EXTENSION.charAt(i)] = EXTENSION_CODES[i];
    }
  }

  private GsmAlphabet() {}

  /** Returns true if every character is in the alphabet. */
  static boolean contains(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (septets(text.charAt(i)) == 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns 1 or 2, the septets that a character takes; 0 if it is not in the alphabet. */
  static int septets(char character) {
    if (character >= CHARS) {
      return 0;
    }
    return BASIC_CODE[character] != ABSENT ? 1 : EXTENSION_CODE[character] != ABSENT ? 2 : 0;
  }

  /** Returns the septets of a text of this alphabet, one in each byte. */
  static byte[] encode(String text) {
    byte[] septets = new byte[2 * text.length()];
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      if (septets(character) == 2) {
        septets[length++] = ESCAPE;
        septets[length++] = EXTENSION_CODE[character];
      } else {
        septets[length++] = BASIC_CODE[character];
      }
    }
    return Arrays.copyOf(septets, length);
  }
}
