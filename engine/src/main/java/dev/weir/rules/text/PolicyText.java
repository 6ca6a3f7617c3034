package dev.weir.rules.text;

import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import java.nio.charset.StandardCharsets;

/**
 * The representation of a policy in header fields, as structured fields (RFC 9651).
 *
 * @param name its name in quotes
 * @param item its name in quotes and its quota, an item of {@code RateLimit-Policy}
 * @param quota its quota
 */
public record PolicyText(String name, String item, String quota) {
  private static final char FIRST_PRINTABLE = ' ';
  private static final char LAST_PRINTABLE = '~';

  /** Returns the text of a rule, whose name is printable ASCII or is escaped. */
  public static PolicyText ofRule(String name, Limit limit) {
    String quoted = quoted(isPrintable(name) ? name : printable(name));
    return new PolicyText(
        quoted, quoted + ";q=" + limit.maxCost() + window(limit), Long.toString(limit.maxCost()));
  }

  /** Returns the text of the bucket of a resource, which may have any name. */
  public static PolicyText ofBucket(String resource, TokenBucket bucket) {
    return ofRule(printable(resource), bucket);
  }

  public static PolicyText ofConcurrency(String resource, Concurrency limit) {
    String quoted = quoted(printable(resource));
    return new PolicyText(
        quoted,
        quoted + ";q=" + limit.max() + ";qu=\"concurrent-requests\"",
        Integer.toString(limit.max()));
  }

  /** Returns true if a text can be used in a structured field as it is. */
  public static boolean isPrintable(String text) {
    return text.chars().allMatch(c -> c >= FIRST_PRINTABLE && c <= LAST_PRINTABLE);
  }

  /**
   * Returns the window parameter. It is omitted for a bucket, which has no window, and for a window
   * that is not a whole number of seconds, which cannot be expressed.
   */
  private static String window(Limit limit) {
    long micros =
        switch (limit) {
          case FixedWindow window -> window.windowMicros();
          case SlidingWindow window -> window.windowMicros();
          case TokenBucket bucket -> 0;
        };
    return micros > 0 && micros % Micros.PER_SECOND == 0 ? ";w=" + micros / Micros.PER_SECOND : "";
  }

  /** Returns a string item of a structured field. */
  private static String quoted(String printable) {
    return '"' + printable.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Percent-encodes characters that are not printable ASCII, and the percent sign itself. */
  public static String printable(String text) {
    if (isPrintable(text) && text.indexOf('%') < 0) {
      return text;
    }
    StringBuilder printable = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b >= FIRST_PRINTABLE && b <= LAST_PRINTABLE && b != '%') {
        printable.append((char) b);
      } else {
        printable.append('%');
        printable.append(Character.toUpperCase(Character.forDigit((b >> 4) & 0xF, 16)));
        printable.append(Character.toUpperCase(Character.forDigit(b & 0xF, 16)));
      }
    }
    return printable.toString();
  }
}
