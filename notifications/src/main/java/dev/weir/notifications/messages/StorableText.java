package dev.weir.notifications.messages;

/** Texts that are the same after they were stored or published as UTF-8, and read again. */
final class StorableText {
  private static final char REPLACEMENT = '\uFFFD';

  private StorableText() {}

  /**
   * Checks that a text can be stored.
   *
   * @throws IllegalArgumentException if it contains U+0000 or an unpaired surrogate
   */
  static void require(String name, String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isStorable(text, i)) {
        throw new IllegalArgumentException(
            "%s must not contain U+%04X at index %d".formatted(name, (int) text.charAt(i), i));
      }
    }
  }

  /** Returns up to {@code max} characters of a text, in which what cannot be stored is replaced. */
  static String replaced(String text, int max) {
    StringBuilder storable = new StringBuilder(text.substring(0, Math.min(max, text.length())));
    for (int i = 0; i < storable.length(); i++) {
      if (!isStorable(storable, i)) {
        storable.setCharAt(i, REPLACEMENT);
      }
    }
    return storable.toString();
  }

  private static boolean isStorable(CharSequence text, int i) {
    char c = text.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1));
    }
    if (Character.isLowSurrogate(c)) {
      return i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }
    return c != 0;
  }
}
