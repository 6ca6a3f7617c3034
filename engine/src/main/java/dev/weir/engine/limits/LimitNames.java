package dev.weir.engine.limits;

/** What names, keys and ids of limits may be: 1 to 255 characters that a store can keep. */
final class LimitNames {
  static final int LONGEST = 255;

  private LimitNames() {}

  static void require(String field, String value) {
    if (value.isEmpty() || value.length() > LONGEST) {
      throw new IllegalArgumentException(
          "%s must have 1 to %d characters, not %d".formatted(field, LONGEST, value.length()));
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == 0) {
        throw new IllegalArgumentException(field + " must not contain NUL");
      }
      if (Character.isSurrogate(c) && isLoneSurrogate(value, i)) {
        throw new IllegalArgumentException(field + " must be well-formed Unicode");
      }
    }
  }

  private static boolean isLoneSurrogate(String value, int i) {
    char c = value.charAt(i);
    return Character.isHighSurrogate(c)
        ? i + 1 == value.length() || !Character.isLowSurrogate(value.charAt(i + 1))
        : i == 0 || !Character.isHighSurrogate(value.charAt(i - 1));
  }
}
