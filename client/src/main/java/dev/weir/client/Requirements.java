package dev.weir.client;

import java.time.Duration;

/** Checks of arguments. */
final class Requirements {
  private static final Duration MAX = Duration.ofDays(366);

  private Requirements() {}

  static Duration positive(String name, Duration value) {
    if (value.isZero() || value.isNegative() || value.compareTo(MAX) > 0) {
      throw new IllegalArgumentException(
          name + " must be above 0 and up to " + MAX + ", not " + value);
    }
    return value;
  }

  static String notBlank(String name, String value) {
    if (value.isBlank()) {
      throw new IllegalArgumentException(name + " must not be blank");
    }
    return value;
  }

  static long atLeast(long min, String name, long value) {
    if (value < min) {
      throw new IllegalArgumentException(
          "%s must be at least %d, not %d".formatted(name, min, value));
    }
    return value;
  }

  /**
   * Checks that a text can be sent: a half of a pair of surrogates would become a question mark,
   * and the id of an event that of another one.
   */
  static String wellFormed(String name, String value) {
    int i = 0;
    while (i < value.length()) {
      int codePoint = value.codePointAt(i);
      if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
        throw new IllegalArgumentException(
            "%s must be valid Unicode, and has an unpaired surrogate".formatted(name));
      }
      i += Character.charCount(codePoint);
    }
    return value;
  }

  static String printable(String name, String value) {
    return sendable(name, notBlank(name, value));
  }

  /**
   * Checks the value of a header field: a line break would begin another one, and the JDK's client
   * replaces what is not ASCII by question marks. Errors do not repeat it, because it may be
   * secret.
   */
  static String sendable(String name, String value) {
    if (!value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c < 0x7F))) {
      throw new IllegalArgumentException(name + " must be printable ASCII");
    }
    return value;
  }
}
