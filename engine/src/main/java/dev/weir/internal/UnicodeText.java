package dev.weir.internal;

/** Checks texts that come from outside. */
public final class UnicodeText {
  private UnicodeText() {}

  /**
   * Returns true if every surrogate is part of a pair. Other texts cannot be written in UTF-8, and
   * databases do not store them.
   */
  public static boolean isValid(String text) {
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (Character.isLowSurrogate(unit)) {
        return false;
      }
      if (Character.isHighSurrogate(unit)) {
        i++;
        if (i == text.length() || !Character.isLowSurrogate(text.charAt(i))) {
          return false;
        }
      }
    }
    return true;
  }
}
