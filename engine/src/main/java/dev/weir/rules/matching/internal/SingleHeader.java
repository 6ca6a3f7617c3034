package dev.weir.rules.matching.internal;

import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the single value of a header by which rules count.
 *
 * <p>With two values, a client could be counted by one and served by the other. Some servers treat
 * {@code X_Api_Key} like {@code X-Api-Key} (CGI and WSGI map both to the same variable), so the
 * other spelling counts as a second value too, even on its own.
 */
public final class SingleHeader {
  private SingleHeader() {}

  /**
   * Returns the value of a header; null if it is absent.
   *
   * @param values all values of that name
   * @param names the names of all headers of the request
   * @throws RepeatedHeaderException if there is more than one value, or one in another spelling
   */
  public static @Nullable String value(
      String name, List<String> values, Iterator<? extends CharSequence> names) {
    if (values.size() > 1) {
      throw new RepeatedHeaderException(name);
    }
    while (names.hasNext()) {
      if (isOtherSpelling(names.next(), name)) {
        throw new RepeatedHeaderException(name);
      }
    }
    return values.isEmpty() ? null : values.getFirst();
  }

  /** Returns true if the names differ in underscores and hyphens, and otherwise at most in case. */
  private static boolean isOtherSpelling(CharSequence given, String name) {
    int length = name.length();
    if (given.length() != length) {
      return false;
    }
    boolean differs = false;
    for (int i = 0; i < length; i++) {
      char one = given.charAt(i);
      char other = name.charAt(i);
      if (one == '_' ? other == '-' : one == '-' && other == '_') {
        differs = true;
      } else if (lower(one) != lower(other)) {
        return false;
      }
    }
    return differs;
  }

  private static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
  }
}
